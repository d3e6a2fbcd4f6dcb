#include "cuda/algorithms/algorithms.hpp"

#include <map>

namespace gpuccl::cuda {

std::vector<MakeLabeler> room_makers(const std::string& name) {
  static const std::map<std::string, std::vector<MakeLabeler>> rooms = {
      {"np", {make_np_c4, make_np_c8, make_np_c6, make_np_c18, make_np_c26}},
      {"rcu", {make_rcu_c4, make_rcu_c8}},
      {"le", {make_le_c4, make_le_c8, make_le_c6, make_le_c26}},
      {"ole", {make_ole_c4, make_ole_c8, make_ole_c6, make_ole_c26}},
      {"smccl", {make_smccl_c4, make_smccl_c8}},
      {"uf", {make_uf_c4, make_uf_c8, make_uf_c6, make_uf_c18, make_uf_c26}},
      {"ke", {make_ke_c4, make_ke_c8}},
      {"ke-playne", {make_ke_playne_c4, make_ke_playne_c6}},
      {"lbuf", {make_lbuf_c4, make_lbuf_c8}},
      {"dlp", {make_dlp}},
      {"dlp-ruf", {make_dlp_ruf}},
      {"dlp-lazy", {make_dlp_lazy}},
      {"ouf", {make_ouf_c4, make_ouf_c8}},
      {"c2fl", {make_c2fl_c4, make_c2fl_c8}},
      {"rc2fl", {make_rc2fl_c4, make_rc2fl_c8}},
      {"cc2fl", {make_cc2fl_c4, make_cc2fl_c8}},
      {"nc2fl", {make_nc2fl_c4, make_nc2fl_c8}},
      {"be", {make_be_2d, make_be_3d}},
      {"buf", {make_buf_2d, make_buf_3d}},
      {"buf-ic", {make_buf_ic_2d, make_buf_ic_3d}},
      {"bke", {make_bke_2d, make_bke_3d}},
      {"bke-ic", {make_bke_ic_2d, make_bke_ic_3d}},
  };
  const auto at = rooms.find(name);
  return at != rooms.end() ? at->second : std::vector<MakeLabeler>();
}

}  // namespace gpuccl::cuda
