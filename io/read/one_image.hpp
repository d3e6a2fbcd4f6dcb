#pragma once

#include <string>

#include "gpuccl/error.hpp"

namespace gpuccl::io {

/// Calls open() for what cannot choose among several images. The message that refuses an input of such would
/// name options that choose one, in place of which it ends in `remedy`.
template <class Open>
auto open_one_image(const std::string& remedy, Open open) {
  try {
    return open();
  } catch (const Error& error) {
    const std::string reason = error.what();
    for (const char* option : {"; --channel", "; --frame", "; --series"})
      if (const std::size_t end = reason.find(option); end != std::string::npos)
        throw Error(error.failure(), reason.substr(0, end) + "; " + remedy);
    throw;
  }
}

}  // namespace gpuccl::io
