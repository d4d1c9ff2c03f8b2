# drawhitch_test(NAME FOLDER folder-under-tests LABELS labels… LINK rooms… [TIMEOUT seconds])
#
# All *_test.cpp (and their helpers) of one folder make one executable and one ctest entry: starting a program is dearer
# than most cases. A folder without tests yet makes nothing. Run one case with build/dev/tests/NAME "title of the case".
# The target tests_LABEL builds all tests of a label.
# Each runs with a process list of its own (tests/support/alone.py).
# SHARDS: the cases are shared out among so many entries, NAME_1 and so on, that run beside each other. Which ones an
# entry has depends on the order, so all have one seed; it changes with each fresh build.
# LOOPS: cases tagged [loop] (each call of a flow fails once, each step is killed once) are an entry of their own,
# NAME_loops, that runs beside the others and not among the `threads`: what they break is one thread's doing.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(alone ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/support/alone.py)
# drawhitch_entry(ENTRY PROGRAM name LABELS labels… TIMEOUT seconds ARGUMENTS words…): one entry of ctest.
function(drawhitch_entry entry)
  cmake_parse_arguments(PARSE_ARGV 1 part "" "PROGRAM;TIMEOUT" "LABELS;ARGUMENTS")
  add_test(NAME ${entry} COMMAND ${alone} $<TARGET_FILE:${part_PROGRAM}> --order rand ${part_ARGUMENTS})
  # Catch2 answers 4 when every case was skipped.
  set_tests_properties(${entry} PROPERTIES LABELS "${part_LABELS}" TIMEOUT ${part_TIMEOUT} SKIP_RETURN_CODE 4)
endfunction()

function(drawhitch_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "LOOPS" "FOLDER;TIMEOUT;SHARDS" "LABELS;LINK")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${test_FOLDER}/*.cpp)
  if(NOT sources)
    return()
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 900)
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE support ${test_LINK} Catch2::Catch2WithMain app_settings app_warnings test_settings)
  drawhitch_quick_tests(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  set(filter)
  if(test_LOOPS)
    set(filter "~[loop]")
    set(loop_labels ${test_LABELS})
    list(REMOVE_ITEM loop_labels threads)
    list(APPEND loop_labels loops)
    drawhitch_entry(${name}_loops PROGRAM ${name} LABELS ${loop_labels} TIMEOUT ${test_TIMEOUT} ARGUMENTS "[loop]")
  endif()
  if(test_SHARDS)
    string(RANDOM LENGTH 8 ALPHABET 123456789 seed)
    foreach(number RANGE 1 ${test_SHARDS})
      math(EXPR index "${number} - 1")
      drawhitch_entry(
        ${name}_${number} PROGRAM ${name} LABELS ${test_LABELS} TIMEOUT ${test_TIMEOUT}
        ARGUMENTS ${filter} --rng-seed ${seed} --shard-count ${test_SHARDS} --shard-index ${index})
    endforeach()
  else()
    drawhitch_entry(${name} PROGRAM ${name} LABELS ${test_LABELS} TIMEOUT ${test_TIMEOUT} ARGUMENTS ${filter})
  endif()
  foreach(label ${test_LABELS})
    add_dependencies(tests_${label} ${name})
  endforeach()
endfunction()

# drawhitch_fuzz_targets(LINK rooms…): each tests/fuzz/NAME_fuzz.cpp becomes a libFuzzer program (preset fuzz), or a
# program that replays tests/fuzz/corpus/NAME as a ctest case (every other preset).
function(drawhitch_fuzz_targets)
  cmake_parse_arguments(PARSE_ARGV 0 fuzz "" "" "LINK")
  add_custom_target(fuzz_targets)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp)
  foreach(source ${sources})
    cmake_path(GET source STEM stem)
    string(REGEX REPLACE "_fuzz$" "" name ${stem})
    add_executable(fuzz_${name} ${source})
    target_link_libraries(fuzz_${name} PRIVATE support ${fuzz_LINK} app_settings app_warnings)
    set_target_properties(fuzz_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    add_dependencies(fuzz_targets fuzz_${name})
    if(DRAWHITCH_FUZZ)
      target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    else()
      target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp)
      add_test(NAME fuzz_${name} COMMAND fuzz_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
      set_tests_properties(fuzz_${name} PROPERTIES LABELS unit TIMEOUT 120)
      add_dependencies(tests_unit fuzz_${name})
    endif()
  endforeach()
endfunction()

# drawhitch_benchmarks(LINK rooms…): each tests/bench/NAME_bench.cpp becomes a program that scripts/bench builds and runs.
function(drawhitch_benchmarks)
  cmake_parse_arguments(PARSE_ARGV 0 bench "" "" "LINK")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/bench/*_bench.cpp)
  add_executable(make_payload EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/bench/make_payload.cpp)
  target_link_libraries(make_payload PRIVATE app_settings app_warnings)
  set_target_properties(make_payload PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  foreach(source ${sources})
    cmake_path(GET source STEM stem)
    string(REGEX REPLACE "_bench$" "" name ${stem})
    add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(bench_${name} PRIVATE support ${bench_LINK} app_settings app_warnings)
    set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  endforeach()
endfunction()
