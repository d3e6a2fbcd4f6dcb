#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>

#include "gpuccl/types.hpp"

namespace gpuccl::io {

/// Calls open() for what cannot choose among several images. The message that refuses an input of such would
/// name options that choose one, instead of which it ends in `remedy`.
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

/// Calls open() for an image that others than the usual options choose of several: of --channel, --frame,
/// --series and --page, which messages name, each with `prefix` before it, as in --intensity-channel.
template <class Open>
auto open_with_options_of(const std::string& prefix, Open open) {
  try {
    return open();
  } catch (const Error& error) {
    std::string reason = error.what();
    if (const std::size_t others = reason.find(", --per-slice"); others != std::string::npos)
      reason.erase(others);
    for (const std::string option : {"--channel", "--frame", "--series", "--page"})
      for (std::size_t at = 0; (at = reason.find(option, at)) != std::string::npos;)
        reason.replace(at, 2, prefix);
    if (reason == error.what()) throw;
    throw Error(error.failure(), reason);
  }
}

/// Calls open() for a command that has --frame all, which messages name then.
template <class Open>
auto open_with_every_frame(Open open) {
  try {
    return open();
  } catch (const Error& error) {
    const std::string one = "--frame N selects one, from 0";
    std::string reason = error.what();
    const std::size_t at = reason.find(one);
    if (at == std::string::npos) throw;
    throw Error(error.failure(), reason.insert(at + one.size(), ", --frame all each"));
  }
}

}  // namespace gpuccl::io
