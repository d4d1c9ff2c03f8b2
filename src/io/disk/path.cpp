#include "io/disk/path.hpp"

#include <string>

#include "base/text.hpp"
#include "core/proto/path.hpp"

namespace drawhitch::disk {

Result<std::vector<std::string_view>> split_relative(std::string_view path) {
    if (!proto::is_safe_path(path)) {
        return Error{Code::unsafe_path, "refused the path " + printable(path.substr(0, 200))}.because(
            "it is empty, absolute, too long, or has an empty or dot component");
    }
    return proto::path_components(path);
}

}  // namespace drawhitch::disk
