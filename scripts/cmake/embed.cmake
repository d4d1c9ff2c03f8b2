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
