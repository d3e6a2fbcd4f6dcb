# In a checkout: vcpkg install gpuccl --overlay-ports=docs/packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

set(cuda OFF)
if("cuda" IN_LIST FEATURES)
  set(cuda ON)
endif()

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DGPUCCL_TESTS=OFF -DGPUCCL_MPI=OFF -DGPUCCL_CUDA=${cuda})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/gpuccl)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES gpuccl AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
