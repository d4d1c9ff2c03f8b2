# drawhitch_embed(TARGET FILE NAMESPACE FUNCTION)
#
# Builds a text file into TARGET as `std::string_view NAMESPACE::FUNCTION()`, to be declared in a header of the room. The
# program needs no files of its own beside it.
function(drawhitch_embed target file namespace function)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${function}.cpp)
  string(CONFIGURE [[#include <string_view>
namespace @namespace@ {
std::string_view @function@();
std::string_view @function@() {
    return R"embedded(@text@)embedded";
}
}  // namespace @namespace@
]] generated @ONLY)
  file(CONFIGURE OUTPUT ${source} CONTENT "${generated}" @ONLY)
  target_sources(${target} PRIVATE ${source})
endfunction()

# drawhitch_embed_table(TARGET NAMESPACE FUNCTION FILES…)
#
# Builds text files into TARGET as `std::span<const EmbeddedFile> NAMESPACE::FUNCTION()`, sorted by name. The header
# `embedded_file.hpp` of the room declares both. Adding a file to the folder that FILES was globbed from is enough.
function(drawhitch_embed_table target namespace function)
  list(SORT ARGN)
  set(rows "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    cmake_path(GET file STEM LAST_ONLY stem)
    file(READ ${file} text)
    string(APPEND rows "    {\"${stem}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE room)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${function}.cpp)
  file(WRITE ${source}.new "#include \"${room}/embedded_file.hpp\"
namespace ${namespace} {
namespace {
constexpr EmbeddedFile k_${function}[] = {
${rows}};
}
std::span<const EmbeddedFile> ${function}() {
    return k_${function};
}
}  // namespace ${namespace}
")
  file(COPY_FILE ${source}.new ${source} ONLY_IF_DIFFERENT)
  target_sources(${target} PRIVATE ${source})
endfunction()
