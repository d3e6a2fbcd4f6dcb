# Each room of the program has a budget of lines, so that growth is a decision. `cmake -P tests/lint/size.cmake` from the
# top of the tree; `cmake -DPRINT=ON -P tests/lint/size.cmake` prints the table of rooms too.
cmake_minimum_required(VERSION 3.25)

# One room and its budget a line. A file belongs to the longest room that its path begins with.
set(rooms
  "app/bench 2878"
  "app/commands 3097"
  "app/common 979"
  "app/label 5542"
  "app/label/batch 1895"
  "app/mpi 230"
  "app/options 2304"
  "app/parts 1836"
  "app/python 7117"
  "app/view 3208"
  "app 162"
  "io/bmp 248"
  "io/deflate 1037"
  "io/files 2888"
  "io/hdf5 2020"
  "io/image 5950"
  "io/jpeg 246"
  "io/metaimage 316"
  "io/mgh 124"
  "io/mrc 219"
  "io/nifti 488"
  "io/npy 339"
  "io/nrrd 521"
  "io/parts 1109"
  "io/png 937"
  "io/pnm 213"
  "io/read 1440"
  "io/report 1905"
  "io/tiff 3367"
  "io/write 1124"
  "io/zarr 2793"
  "io 58"
  "lib/include 3314"
  "lib/papers 5557"
  "lib/src/common 4509"
  "lib/src/contacts 253"
  "lib/src/cpu 3044"
  "lib/src/cuda 3485"
  "lib/src/cuda/runs 4403"
  "lib/src/cuda/tables 2690"
  "lib/src/engine 983"
  "lib/src/measure 5862"
  "lib/src/no_cuda 101"
  "lib/src/outlines 263"
  "lib/src/parts 1646"
  "lib/src/periodic 317"
  "lib/src/slabs 789"
  "lib 424"
  "tests/app 12400"
  "tests/benchmarks 2368"
  "tests/cuda 4457"
  "tests/faults 2165"
  "tests/fuzz 1045"
  "tests/golden 1798"
  "tests/install 468"
  "tests/io 8587"
  "tests/lib 4490"
  "tests/lint 786"
  "tests/papers 419"
  "tests/parts 2268"
  "tests/python 4671"
  "tests/support 2986"
  "tests 218"
  "release 505"
  "dev 149")
set(kinds bash cmake cpp css cu cuh def h hpp html in inc js py pyi sh tsv txt)

list(TRANSFORM kinds REPLACE "(.+)" "*.\\1" OUTPUT_VARIABLE patterns)
set(files dev)
foreach(top app io lib release tests)
  list(TRANSFORM patterns PREPEND "${top}/" OUTPUT_VARIABLE globs)
  file(GLOB_RECURSE found RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${globs})
  list(APPEND files ${found})
endforeach()

foreach(line IN LISTS rooms)
  separate_arguments(line)
  list(GET line 0 room)
  list(GET line 1 "budget_of_${room}")
  set("lines_of_${room}" 0)
  set("files_of_${room}" 0)
  list(APPEND names ${room})
endforeach()

set(wrong 0)
foreach(path IN LISTS files)
  set(room ${path})
  while(room AND NOT DEFINED "lines_of_${room}")
    cmake_path(GET room PARENT_PATH room)
  endwhile()
  if(NOT room)
    message("${path}: its folder is in no room; add one to tests/lint/size.cmake")
    math(EXPR wrong "${wrong} + 1")
    continue()
  endif()
  file(READ ${path} text)
  string(REGEX REPLACE "[^\n]+" "" line_ends "${text}")
  string(LENGTH "${line_ends}" lines)
  math(EXPR "lines_of_${room}" "${lines_of_${room}} + ${lines}")
  math(EXPR "files_of_${room}" "${files_of_${room}} + 1")
endforeach()

# Pads with spaces on the left to `width` characters.
function(pad text width result)
  string(LENGTH "${text}" length)
  math(EXPR missing "${width} - ${length}")
  if(missing GREATER 0)
    string(REPEAT " " ${missing} spaces)
  endif()
  set(${result} "${spaces}${text}" PARENT_SCOPE)
endfunction()

set(table "   lines  budget  files  room\n")
foreach(room IN LISTS names)
  set(lines ${lines_of_${room}})
  set(budget ${budget_of_${room}})
  if(lines GREATER budget)
    math(EXPR over "${lines} - ${budget}")
    message("${room}: ${lines} lines, ${over} above its budget of ${budget}; remove as many from this room. If that "
      "cannot be, raise the budget in tests/lint/size.cmake, in a commit of its own that says why")
    math(EXPR wrong "${wrong} + 1")
  endif()
  pad("${lines}" 8 lines_column)
  pad("${budget}" 8 budget_column)
  pad("${files_of_${room}}" 7 files_column)
  string(APPEND table "${lines_column}${budget_column}${files_column}  ${room}\n")
  string(REGEX REPLACE "/.*" "" top ${room})
  foreach(what lines files budget)
    if(NOT DEFINED "${what}_in_${top}")
      set("${what}_in_${top}" 0)
    endif()
    math(EXPR "${what}_in_${top}" "${${what}_in_${top}} + ${${what}_of_${room}}")
  endforeach()
  list(APPEND tops ${top})
endforeach()
list(REMOVE_DUPLICATES tops)
foreach(top IN LISTS tops)
  pad("${lines_in_${top}}" 8 lines_column)
  pad("${budget_in_${top}}" 8 budget_column)
  pad("${files_in_${top}}" 7 files_column)
  string(APPEND table "${lines_column}${budget_column}${files_column}  ${top} (sum)\n")
endforeach()
math(EXPR product "${lines_in_app} + ${lines_in_io} + ${lines_in_lib}")
math(EXPR product_files "${files_in_app} + ${files_in_io} + ${files_in_lib}")
if(PRINT)
  message("${table}app, io and lib: ${product} lines in ${product_files} files")
endif()
if(wrong)
  message(FATAL_ERROR "${wrong} rooms above their budgets, or files without a room")
endif()
message("${product} lines in app, io and lib, ${lines_in_tests} in tests; every room is within its budget")
