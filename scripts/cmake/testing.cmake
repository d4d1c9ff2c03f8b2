# drawhitch_test(NAME FOLDER folder-under-tests LABEL label LINK rooms… [TIMEOUT seconds])
#
# All *_test.cpp of one folder make one executable and one ctest entry: starting a program is dearer than most cases.
# A folder without tests yet makes nothing. Run one case with build/dev/tests/NAME "title of the case".
function(drawhitch_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "FOLDER;LABEL;TIMEOUT" "LINK")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${test_FOLDER}/*.cpp)
  if(NOT sources)
    return()
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE support ${test_LINK} Catch2::Catch2WithMain app_settings app_warnings)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} --order rand --warn NoAssertions)
  set_tests_properties(${name} PROPERTIES LABELS ${test_LABEL} TIMEOUT ${test_TIMEOUT} SKIP_RETURN_CODE 4)
endfunction()
