# drawhitch_room(NAME [DEPS rooms…] [LIBS libraries…])
#
# One room = one folder under src, with at most one level of folders in it = one static library. Sources are found by name, so that adding a file needs no
# change here; a room without sources yet is an interface target with the same name. DEPS are the rooms whose headers
# this room may include (scripts/check_layers.py holds the same table); LIBS stay private to the room.
# A file called main.cpp belongs to a program and is left out.
function(drawhitch_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "DEPS;LIBS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(
      ${name}
      PUBLIC app_settings ${room_DEPS}
      PRIVATE app_warnings ${room_LIBS})
    if(DRAWHITCH_QUICK)
      set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE app_settings ${room_DEPS})
  endif()
endfunction()
