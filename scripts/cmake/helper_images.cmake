# The helper: one static program for each kind of box, compressed and embedded into the library `helper_images`.
#
# The helper's rooms are compiled here a second time, smaller than for the laptop: without exceptions and RTTI, with
# the C library inside. The rules are spelled out as commands because one build uses several compilers.
# For each machine the library offers drawhitch_helper_<machine>_begin, _end (a zstd frame) and _sha256 (64 hex digits
# of the program itself and a zero byte); a machine that could not be built has an empty frame and an empty text.
set(helper_rooms base core/proto core/codec helper)
set(helper_flags
    -std=c++20 -Os -fno-exceptions -fno-rtti -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections
    -fstack-protector-strong -Wall -Wextra -Wpedantic -Werror -D_FILE_OFFSET_BITS=64 -D_GNU_SOURCE
    -DDRAWHITCH_VERSION="${PROJECT_VERSION}" -DDRAWHITCH_ON_BOX=1)

# Sets `result` to the full names of the static libraries nettle, xxhash and zstd under `folders`, or to empty.
function(find_static_libraries result)
  set(found)
  foreach(name nettle xxhash zstd)
    find_library(static_${name}_${result} NAMES lib${name}.a PATHS ${ARGN} NO_DEFAULT_PATH)
    if(NOT static_${name}_${result})
      set(${result} "" PARENT_SCOPE)
      return()
    endif()
    list(APPEND found ${static_${name}_${result}})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# helper_program(MACHINE COMPILER LIBRARIES INCLUDES): rules for helper/drawhitch-helper-MACHINE.
function(helper_program machine compiler libraries includes)
  set(folder ${CMAKE_BINARY_DIR}/helper)
  set(program ${folder}/drawhitch-helper-${machine})
  set(objects)
  foreach(room ${helper_rooms})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
    foreach(source ${sources})
      file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR}/src ${source})
      set(object ${folder}/${machine}/${relative}.o)
      cmake_path(GET object PARENT_PATH parent)
      file(MAKE_DIRECTORY ${parent})
      add_custom_command(
        OUTPUT ${object}
        COMMAND ${compiler_cache} ${compiler} ${helper_flags} -I${PROJECT_SOURCE_DIR}/src ${includes} -MD -MF ${object}.d -MT
                ${object} -c ${source} -o ${object}
        DEPENDS ${source}
        DEPFILE ${object}.d
        COMMENT "Helper ${machine}: ${relative}"
        VERBATIM)
      list(APPEND objects ${object})
    endforeach()
  endforeach()
  add_custom_command(
    OUTPUT ${program}
    COMMAND ${compiler} -static -s -Wl,--gc-sections -Wl,--build-id=none -o ${program} ${objects} ${libraries}
    DEPENDS ${objects} ${libraries}
    COMMENT "Helper ${machine}: link"
    VERBATIM)
endfunction()

# Appends rules that turn a program into MACHINE.zst and MACHINE.sha256 beside it.
function(helper_image machine program)
  set(image ${CMAKE_BINARY_DIR}/helper/${machine})
  add_custom_command(
    OUTPUT ${image}.zst ${image}.sha256
    COMMAND ${ZSTD_PROGRAM} -q -f -19 ${program} -o ${image}.zst
    COMMAND ${CMAKE_COMMAND} -DFILE=${program} -DOUT=${image}.sha256 -P ${PROJECT_SOURCE_DIR}/scripts/cmake/sha256.cmake
    DEPENDS ${program} ${PROJECT_SOURCE_DIR}/scripts/cmake/sha256.cmake
    COMMENT "Helper ${machine}: compress"
    VERBATIM)
endfunction()

# Chooses how each machine's helper is made; called once all rooms exist.
function(drawhitch_helper_images)
  find_program(ZSTD_PROGRAM zstd)
  file(GLOB helper_main CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/helper/main.cpp)
  set(programs)
  set(dependencies)
  foreach(machine x86_64 aarch64)
    set(folder ${CMAKE_BINARY_DIR}/helper)
    file(MAKE_DIRECTORY ${folder})
    set(program)
    set(why)
    if(DRAWHITCH_HELPER_DIR)
      set(program ${DRAWHITCH_HELPER_DIR}/drawhitch-helper-${machine})
      set(why "ready-made, from ${DRAWHITCH_HELPER_DIR}")
      if(NOT EXISTS ${program})
        set(program)
        set(why "none: not in ${DRAWHITCH_HELPER_DIR}")
      endif()
    elseif(NOT helper_main)
      set(why "none: src/helper/main.cpp is missing")
    elseif(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
      set(why "none: set DRAWHITCH_HELPER_DIR to ready-made helpers (they are built on Linux)")
    elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL machine)
      find_static_libraries(native_libraries ${CMAKE_SYSTEM_LIBRARY_PATH} /usr/lib/${machine}-linux-gnu /usr/lib64
                            /usr/lib /usr/local/lib)
      if(native_libraries)
        helper_program(${machine} ${CMAKE_CXX_COMPILER} "${native_libraries}" "")
        set(program ${folder}/drawhitch-helper-${machine})
        set(why "built by ${CMAKE_CXX_COMPILER}")
      else()
        set(why "none: the static libraries of nettle, xxhash and zstd are missing")
      endif()
    else()
      find_program(cross_${machine} ${machine}-linux-gnu-g++)
      find_static_libraries(cross_libraries ${DRAWHITCH_DEPS}/${machine}-linux-gnu/lib)
      if(NOT cross_${machine})
        set(why "none: no ${machine}-linux-gnu-g++ (scripts/setup installs it)")
      elseif(NOT cross_libraries)
        set(why "none: its libraries are not in .deps (scripts/setup builds them)")
      else()
        helper_program(${machine} ${cross_${machine}} "${cross_libraries}"
                       "-isystem;${DRAWHITCH_DEPS}/${machine}-linux-gnu/include")
        set(program ${folder}/drawhitch-helper-${machine})
        set(why "built by ${cross_${machine}}")
      endif()
    endif()
    if(program AND NOT ZSTD_PROGRAM)
      set(program)
      set(why "none: the zstd program is missing")
    endif()
    note_dependency("helper ${machine}" "${why}")
    if(program)
      helper_image(${machine} ${program})
      list(APPEND programs ${program})
      list(APPEND dependencies ${folder}/${machine}.zst ${folder}/${machine}.sha256)
      set(image_${machine} ${folder}/${machine})
    else()
      # A file of its own: an empty one in the real one's place could pass for up to date later.
      file(WRITE ${folder}/none.zst "")
      file(WRITE ${folder}/none.sha256 "")
      set(image_${machine} ${folder}/none)
    endif()
  endforeach()
  set(assembly ${folder}/helper_images.S)
  configure_file(${PROJECT_SOURCE_DIR}/scripts/cmake/helper_images.S.in ${assembly} @ONLY)
  set_source_files_properties(${assembly} PROPERTIES OBJECT_DEPENDS "${dependencies}")
  add_library(helper_images STATIC ${assembly})
  add_custom_target(drawhitch-helper DEPENDS ${programs})
endfunction()
