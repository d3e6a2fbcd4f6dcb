#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpuccl/algorithms.hpp"

// One factory a room and connectivity; `gpu` is the CUDA device.
namespace gpuccl::cuda {

/// The factories of the room called `name`, in the order of its connectivities in the table
/// (common/gpu_table.cpp); none if there is no such room.
std::vector<MakeLabeler> room_makers(const std::string& name);

std::unique_ptr<Labeler> make_np_c4(int gpu);
std::unique_ptr<Labeler> make_np_c8(int gpu);
std::unique_ptr<Labeler> make_np_c6(int gpu);
std::unique_ptr<Labeler> make_np_c18(int gpu);
std::unique_ptr<Labeler> make_np_c26(int gpu);

std::unique_ptr<Labeler> make_le_c4(int gpu);
std::unique_ptr<Labeler> make_le_c8(int gpu);
std::unique_ptr<Labeler> make_le_c6(int gpu);
std::unique_ptr<Labeler> make_le_c26(int gpu);

std::unique_ptr<Labeler> make_ole_c4(int gpu);
std::unique_ptr<Labeler> make_ole_c8(int gpu);
std::unique_ptr<Labeler> make_ole_c6(int gpu);
std::unique_ptr<Labeler> make_ole_c26(int gpu);

std::unique_ptr<Labeler> make_lbuf_c4(int gpu);
std::unique_ptr<Labeler> make_lbuf_c8(int gpu);

std::unique_ptr<Labeler> make_ke_playne_c4(int gpu);
std::unique_ptr<Labeler> make_ke_playne_c6(int gpu);

std::unique_ptr<Labeler> make_rcu_c4(int gpu);
std::unique_ptr<Labeler> make_rcu_c8(int gpu);

std::unique_ptr<Labeler> make_smccl_c4(int gpu);
std::unique_ptr<Labeler> make_smccl_c8(int gpu);

std::unique_ptr<Labeler> make_dlp(int gpu);

std::unique_ptr<Labeler> make_dlp_ruf(int gpu);

std::unique_ptr<Labeler> make_dlp_lazy(int gpu);

std::unique_ptr<Labeler> make_ouf_c4(int gpu);
std::unique_ptr<Labeler> make_ouf_c8(int gpu);

std::unique_ptr<Labeler> make_c2fl_c4(int gpu);
std::unique_ptr<Labeler> make_c2fl_c8(int gpu);

std::unique_ptr<Labeler> make_rc2fl_c4(int gpu);
std::unique_ptr<Labeler> make_rc2fl_c8(int gpu);

std::unique_ptr<Labeler> make_cc2fl_c4(int gpu);
std::unique_ptr<Labeler> make_cc2fl_c8(int gpu);

std::unique_ptr<Labeler> make_nc2fl_c4(int gpu);
std::unique_ptr<Labeler> make_nc2fl_c8(int gpu);

std::unique_ptr<Labeler> make_be_2d(int gpu);
std::unique_ptr<Labeler> make_be_3d(int gpu);

std::unique_ptr<Labeler> make_uf_c4(int gpu);
std::unique_ptr<Labeler> make_uf_c8(int gpu);
std::unique_ptr<Labeler> make_uf_c6(int gpu);
std::unique_ptr<Labeler> make_uf_c18(int gpu);
std::unique_ptr<Labeler> make_uf_c26(int gpu);

std::unique_ptr<Labeler> make_ke_c4(int gpu);
std::unique_ptr<Labeler> make_ke_c8(int gpu);

std::unique_ptr<Labeler> make_buf_2d(int gpu);
std::unique_ptr<Labeler> make_buf_ic_2d(int gpu);
std::unique_ptr<Labeler> make_buf_3d(int gpu);
std::unique_ptr<Labeler> make_buf_ic_3d(int gpu);

std::unique_ptr<Labeler> make_bke_2d(int gpu);
std::unique_ptr<Labeler> make_bke_ic_2d(int gpu);
std::unique_ptr<Labeler> make_bke_3d(int gpu);
std::unique_ptr<Labeler> make_bke_ic_3d(int gpu);

}  // namespace gpuccl::cuda
