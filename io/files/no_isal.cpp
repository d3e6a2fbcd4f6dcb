#include "io/files/gunzipped_file.hpp"

// Replaces the functions that need ISA-L in builds without it.
namespace gpuccl::io {

std::unique_ptr<Inflater> make_fast_inflater(bool) { return nullptr; }
std::int64_t fast_inflater_bytes() { return 0; }
std::string fast_inflater_version() { return ""; }

}  // namespace gpuccl::io
