#include "app/common/exit_code.hpp"

namespace gpuccl::app {

int exit_code(Failure failure) {
  switch (failure) {
    case Failure::usage:
      return 64;
    case Failure::data:
      return 65;
    case Failure::no_input:
      return 66;
    case Failure::unavailable:
      return 69;
    case Failure::internal:
      return 70;
    case Failure::memory:
      return 71;
    case Failure::cannot_create:
      return 73;
    case Failure::io:
      return 74;
    case Failure::temporary:
      return 75;
  }
  return 70;
}

}  // namespace gpuccl::app
