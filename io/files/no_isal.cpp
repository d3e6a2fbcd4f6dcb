#include "io/files/inflater.hpp"

// Of builds without ISA-L.
namespace gpuccl::io {

std::unique_ptr<Inflater> make_fast_inflater(bool) { return nullptr; }
std::int64_t fast_inflater_bytes() { return 0; }
std::string fast_inflater_version() { return ""; }

}  // namespace gpuccl::io
