# Builds of everything at once: several files of a room are compiled together, and what every test includes is parsed
# once. That takes half the time. The presets release, asan and tsan do it; the others (dev, and fuzz in `scripts/test
# --long`) compile each file alone, and so prove that it includes what it uses and that no local name hides another.
option(DRAWHITCH_QUICK "Compile several files together" OFF)

# The headers of the tests, parsed once for all of them.
function(drawhitch_quick_tests target)
  if(NOT DRAWHITCH_QUICK)
    return()
  endif()
  if(NOT TARGET quick_tests)
    file(WRITE ${CMAKE_BINARY_DIR}/quick_tests.cpp "")
    add_executable(quick_tests EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/quick_tests.cpp)
    target_link_libraries(quick_tests PRIVATE test_settings Catch2::Catch2WithMain app_settings app_warnings)
    target_precompile_headers(
      quick_tests
      PRIVATE
      <algorithm>
      <array>
      <cstdint>
      <filesystem>
      <functional>
      <map>
      <memory>
      <optional>
      <set>
      <span>
      <string>
      <string_view>
      <vector>
      <catch2/catch_test_macros.hpp>
      <catch2/generators/catch_generators.hpp>)
  endif()
  target_precompile_headers(${target} REUSE_FROM quick_tests)
endfunction()
