# Warnings for our own code; libraries are included as system headers and stay silent.
option(DRAWHITCH_WERROR "Treat warnings as errors" ON)

add_library(app_warnings INTERFACE)
target_compile_options(
  app_warnings
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wconversion
            -Wsign-conversion
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Woverloaded-virtual
            -Wnull-dereference
            -Wimplicit-fallthrough
            -Wformat=2
            -Wcast-align
            -Wundef
            -Wswitch-enum)
if(NOT DRAWHITCH_QUICK)
  # Where files are joined, any local name may be like another file's constant.
  target_compile_options(app_warnings INTERFACE -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Nor does a joined file look like the one place where a type is defined, and the optimiser guesses more, and worse.
  target_compile_options(app_warnings INTERFACE -Wno-subobject-linkage -Wno-null-dereference)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(app_warnings INTERFACE -Wduplicated-cond -Wlogical-op)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    # Guesses of the optimiser, often wrong about inlined library code; g++ 12, the reference here, gets them right.
    target_compile_options(
      app_warnings INTERFACE -Wno-array-bounds -Wno-dangling-reference -Wno-free-nonheap-object -Wno-maybe-uninitialized
                             -Wno-null-dereference -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-uninitialized)
  endif()
  if(DRAWHITCH_SANITIZE OR DRAWHITCH_COVERAGE)
    # Instrumented code makes g++ see paths that do not exist (GCC bugs 105562 and 105616).
    target_compile_options(app_warnings INTERFACE -Wno-maybe-uninitialized -Wno-null-dereference)
  endif()
endif()
if(DRAWHITCH_WERROR)
  target_compile_options(app_warnings INTERFACE -Werror)
endif()
