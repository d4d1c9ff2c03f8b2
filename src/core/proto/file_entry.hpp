// FileEntry: what a scan says about one name. Paths are bytes, relative to the root that was scanned, without a leading
// or trailing '/'; the root itself is the empty path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/proto/digest.hpp"

namespace drawhitch::proto {

// `unknown` is used when even lstat failed.
enum class FileType : std::uint8_t { file, directory, symlink, fifo, socket, device, unknown };
constexpr FileType last_of(FileType) {
    return FileType::unknown;
}

// Names one state of one file: a read that names it is answered `changed` as soon as any of the four differs.
struct Fence {
    std::uint64_t dev{0};
    std::uint64_t ino{0};
    std::uint64_t size{0};
    std::int64_t mtime_ns{0};
    bool operator==(const Fence&) const = default;

    template <class F>
    void visit(F& f) {
        f(dev), f(ino), f(size), f(mtime_ns);
    }
};

inline constexpr std::int32_t k_linux_enoent = 2;  // as the box numbers it, whatever errno.h says here

struct FileEntry {
    std::string path{};
    FileType type{FileType::unknown};
    std::uint64_t size{0};       // bytes; for symlinks the length of the target; 0 for directories and the rest
    std::uint64_t allocated{0};  // bytes on disk; less than size for sparse files
    std::int64_t mtime_ns{0};    // since 1970, the box's own clock
    std::int64_t ctime_ns{0};    // cannot be set by tools, so "created or changed since" is asked of it
    std::uint32_t mode{0};       // permission bits, 07777
    std::uint32_t nlink{0};
    std::uint64_t dev{0};
    std::uint64_t ino{0};
    bool mount_point{false};  // a directory on another device than its parent: listed, not entered
    std::int32_t error{0};    // errno (Linux numbers) of what failed for this entry, 0 if nothing did
    std::string target{};     // of a symlink
    std::optional<Digest> root{};
    std::optional<Digest> sha256{};

    bool operator==(const FileEntry&) const = default;
    [[nodiscard]] Fence fence() const { return Fence{dev, ino, size, mtime_ns}; }
    [[nodiscard]] bool executable() const { return (mode & 0100U) != 0; }

    template <class F>
    void visit(F& f) {
        f(path), f(type), f(size), f(allocated), f(mtime_ns), f(ctime_ns), f(mode), f(nlink), f(dev), f(ino);
        f(mount_point), f(error), f(target), f(root), f(sha256);
    }
};

}  // namespace drawhitch::proto
