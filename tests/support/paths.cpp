#include "support/paths.hpp"

namespace drawhitch::support {

std::string source_dir() {
    return DRAWHITCH_SOURCE_DIR;
}

std::string helper_dir() {
    return DRAWHITCH_HELPERS;
}

std::string binary_dir() {
    return DRAWHITCH_BINARY_DIR;
}

}  // namespace drawhitch::support
