# How everything of ours is compiled: language, hardening, sanitizers, the compiler cache and the linker.
option(DRAWHITCH_TESTS "Build the tests" ON)
option(DRAWHITCH_FETCH "Fetch pinned Catch2 from the internet when this machine has none" OFF)
option(DRAWHITCH_COVERAGE "Instrument for gcov" OFF)
option(DRAWHITCH_FUZZ "Build the fuzz targets with libFuzzer (clang only)" OFF)
set(DRAWHITCH_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")
set(DRAWHITCH_HELPER_DIR "" CACHE PATH "Folder with ready-made drawhitch-helper-{x86_64,aarch64}, where they cannot be built")

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Assertions guard against our own bugs and stay in the program we ship.
foreach(config RELEASE RELWITHDEBINFO MINSIZEREL)
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_${config} "${CMAKE_CXX_FLAGS_${config}}")
endforeach()

add_library(app_settings INTERFACE)
target_compile_features(app_settings INTERFACE cxx_std_20)
set_target_properties(app_settings PROPERTIES INTERFACE_POSITION_INDEPENDENT_CODE ON)
target_include_directories(app_settings INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(app_settings INTERFACE _GLIBCXX_ASSERTIONS _FILE_OFFSET_BITS=64
                                                  DRAWHITCH_VERSION="${PROJECT_VERSION}")
set(CMAKE_CXX_EXTENSIONS OFF)
find_package(Threads REQUIRED)
target_link_libraries(app_settings INTERFACE Threads::Threads)

if(DRAWHITCH_SANITIZE)
  target_compile_options(app_settings INTERFACE -fsanitize=${DRAWHITCH_SANITIZE} -fno-sanitize-recover=all
                                                -fno-omit-frame-pointer)
  target_link_options(app_settings INTERFACE -fsanitize=${DRAWHITCH_SANITIZE})
else()
  target_compile_options(app_settings INTERFACE -fstack-protector-strong)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(app_settings INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  endif()
endif()
# What is tested keeps its speed; the tests themselves need none, and build in half the time.
add_library(test_settings INTERFACE)
target_compile_options(test_settings INTERFACE -O0)

if(DRAWHITCH_COVERAGE)
  target_compile_options(app_settings INTERFACE --coverage)
  target_link_options(app_settings INTERFACE --coverage)
endif()
if(DRAWHITCH_FUZZ)
  target_compile_options(app_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()

# A compiler cache makes a second build, also of another working copy, a matter of seconds: paths are made relative
# to the project's root and left out of the comparison. DRAWHITCH_CCACHE=OFF measures an honest build.
option(DRAWHITCH_CCACHE "Use ccache when it is installed" ON)
find_program(CCACHE_PROGRAM ccache)
if(DRAWHITCH_CCACHE AND CCACHE_PROGRAM)
  set(compiler_cache ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
                     CCACHE_SLOPPINESS=time_macros ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${compiler_cache})
endif()

find_program(MOLD_PROGRAM NAMES mold)
find_program(LLD_PROGRAM NAMES ld.lld)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  # g++ before 12.1 does not know mold; sanitizers and coverage are safest with the linkers they are tested with.
  if(MOLD_PROGRAM AND NOT DRAWHITCH_SANITIZE AND NOT DRAWHITCH_COVERAGE)
    target_link_options(app_settings INTERFACE -fuse-ld=mold)
  elseif(LLD_PROGRAM)
    target_link_options(app_settings INTERFACE -fuse-ld=lld)
  endif()
  # curl may bring the distribution's own libssh2 into the process; ours, where it is static, keeps its names to itself.
  target_link_options(app_settings INTERFACE -Wl,--exclude-libs,libssh2.a)
endif()
