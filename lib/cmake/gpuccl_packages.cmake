# `cpack` makes .deb packages of what a build has: the program with its manual, and the library with its headers. Those
# with CUDA have names of their own and take the place of those without.
set(suffix "")
if(GPUCCL_WITH_CUDA)
  set(suffix "-cuda")
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpuccl)
set(CPACK_PACKAGE_CONTACT "the gpuccl authors <gpuccl@localhost>")
set(CPACK_PACKAGE_VENDOR "the gpuccl authors")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME gpuccl${suffix})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "label connected components of binary images and volumes")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libgpuccl${suffix}-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS libtbb-dev)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "label connected components: headers, static library, CMake configuration")

if(GPUCCL_WITH_CUDA)
  foreach(component PROGRAM LIBRARY)
    string(REPLACE -cuda "" plain ${CPACK_DEBIAN_${component}_PACKAGE_NAME})
    foreach(relation PROVIDES CONFLICTS REPLACES)
      set(CPACK_DEBIAN_${component}_PACKAGE_${relation} ${plain})
    endforeach()
  endforeach()
endif()
foreach(component PROGRAM LIBRARY)
  string(TOLOWER ${component} lower)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE COMPONENT ${lower} RENAME copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${component}_PACKAGE_NAME})
endforeach()

# Pages and examples, in the folders of Debian's packages.
set(doc_dir ${CMAKE_INSTALL_DATADIR}/doc)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md COMPONENT program
  DESTINATION ${doc_dir}/${CPACK_DEBIAN_PROGRAM_PACKAGE_NAME})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs COMPONENT program
  DESTINATION ${doc_dir}/${CPACK_DEBIAN_PROGRAM_PACKAGE_NAME}
  PATTERN packaging EXCLUDE PATTERN results EXCLUDE PATTERN figures.py EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples COMPONENT library
  DESTINATION ${doc_dir}/${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME})
include(CPack)
