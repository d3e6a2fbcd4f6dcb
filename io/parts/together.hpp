#pragma once

#include <exception>
#include <functional>
#include <utility>

#include "gpuccl/parts.hpp"
#include "gpuccl/types.hpp"

namespace gpuccl::io {

/// Some part has failed, and all know it.
class PartFailed : public Error {
 public:
  /// `thrown`: what went wrong, in the part that is to say so; null in all others.
  PartFailed(Failure failure, std::exception_ptr thrown)
      : Error(failure, "a part has failed"), thrown_(std::move(thrown)) {}

  const std::exception_ptr& thrown() const { return thrown_; }

 private:
  std::exception_ptr thrown_;
};

/// Does `work` in all parts; it sends no messages. When it throws in some of them, all throw PartFailed, with
/// what was thrown in the first of these.
void together(PartLink& link, const std::function<void()>& work);

}  // namespace gpuccl::io
