#include "cli/self.hpp"

#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <cstring>

#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

namespace drawhitch::cli {

Result<std::string> own_path() {
    std::array<char, PATH_MAX> path{};
#if defined(__APPLE__)
    auto size = static_cast<std::uint32_t>(path.size());
    if (_NSGetExecutablePath(path.data(), &size) == 0) return std::string{path.data()};
#else
    const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
    if (length > 0) return std::string{path.data(), static_cast<std::size_t>(length)};
#endif
    return Error{Code::internal, "cannot find the program's own path"};
}

}  // namespace drawhitch::cli
