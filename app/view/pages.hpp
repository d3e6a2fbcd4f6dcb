#pragma once

#include <string_view>

namespace gpuccl::app {

/// Pages as bundle.cmake makes them of what lies here; data goes in the place of "@DATA@".
extern const std::string_view kViewPage;

}  // namespace gpuccl::app
