// MachineFacts: what a box says about itself when it is adopted or examined. Values only; anything may be missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace drawhitch::model {

// One directory of interest, or the nearest existing one above it.
struct PlaceFacts {
    std::string name{};  // "data", "durable", "volatile" …: what it is for
    std::string path{};  // absolute, bytes
    bool exists{false};
    bool writable{false};
    bool executable{false};  // a program in it can be started
    std::optional<std::uint64_t> bytes_free{};
    std::optional<std::uint64_t> bytes_total{};
    std::optional<std::uint64_t> inodes_free{};
    std::optional<std::uint64_t> inodes_total{};  // absent where the filesystem has no such table
    std::string filesystem{};                     // "ext2/ext3", "nfs", "overlayfs" …
};

struct MachineFacts {
    std::optional<std::int64_t> now{};  // its clock, seconds since 1970
    std::string user{};
    std::string uid{};
    std::string home{};
    std::string system{};   // "Linux"
    std::string machine{};  // "x86_64"
    std::string kernel{};
    std::string os{};
    std::string boot_id{};
    std::string host_name{};
    bool container{false};
    std::vector<std::string> tools{};  // of those asked for, the ones it has
    std::vector<std::string> env{};    // names of variables in an SSH session
    std::vector<std::string>
        container_env{};              // names of variables of its first process; empty when they cannot be read
    std::vector<std::string> gpus{};  // "NVIDIA H100 80GB HBM3, 81559 MiB, 550.54.15"
    std::string gpu_trouble{};        // what nvidia-smi said when it failed
    std::vector<PlaceFacts> places{};

    [[nodiscard]] bool has_tool(const std::string& name) const;
    [[nodiscard]] const PlaceFacts* place(const std::string& name) const;
};

}  // namespace drawhitch::model
