# Most of the time of compiling goes into what is included, so the files of a folder are compiled together, eight at most:
# half of the time of a first build. Who edits does better with single files (preset dev).
option(GPUCCL_UNITY "Compile the files of a folder together" ON)

# gpuccl_unite(TARGET): called where the target's sources are named.
function(gpuccl_unite target)
  if(NOT GPUCCL_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    if(source MATCHES "\\.cpp$")
      list(APPEND in_${folder} ${source})
      list(LENGTH in_${folder} count)
      math(EXPR unit "(${count} - 1) / 8")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${target}_${folder}_${unit}")
    endif()
  endforeach()
endfunction()
