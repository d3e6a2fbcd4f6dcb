#pragma once

// support/catch.hpp with Catch::EventListenerBase; to be included first.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include "support/catch.hpp"

#if !__has_include(<catch2/catch_all.hpp>)
namespace Catch {
struct EventListenerBase : TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
};
}  // namespace Catch
#endif
