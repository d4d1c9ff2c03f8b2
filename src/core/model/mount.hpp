// Mount: one row of a machine's table of mounts. Values only.
#pragma once

#include <string>

namespace drawhitch::model {

struct Mount {
    std::string point{};   // absolute, bytes
    std::string type{};    // "ext4", "nfs4", "overlay" …
    std::string source{};  // "/dev/nvme0n1p1", "host:/export" …
    std::string device{};  // "259:1": equal for mounts that show the same file system
    std::string root{};    // what of that file system is shown, absolute in it
};

}  // namespace drawhitch::model
