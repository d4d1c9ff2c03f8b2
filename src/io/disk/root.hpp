// Root: one local directory, opened once, under which everything is reached component by component. No symlink below
// the root is ever followed, so neither a hostile name nor a link someone planted can lead outside.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace drawhitch::disk {

// Movable; safe to use from several threads, as it only reads its descriptor.
class Root {
  public:
    // Opens an existing directory. Links in `path` itself are followed: the user named it.
    static Result<Root> open(std::string path);
    // The same, creating the directory and its missing parents (mode 0777 less umask) first.
    static Result<Root> create(std::string path);

    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] const std::string& path() const { return path_; }

    // The directory at a relative path ("" is the root itself). With `make_missing` absent components are created.
    // Code::unsafe_path where a component is a symlink, not_found where it is missing.
    Result<UniqueFd> directory(std::string_view path, bool make_missing = false) const;
    // A regular file for reading; never blocks on a FIFO and never opens a device.
    Result<UniqueFd> read_file(std::string_view path) const;
    // lstat. Code::not_found if it does not exist.
    Result<struct stat> stat_entry(std::string_view path) const;
    // What names lead to now, for whoever is about to report that they do: the root's own path to this very directory,
    // and `path` to a regular file of `size` bytes through no link. Code::changed, with what is there instead.
    [[nodiscard]] Status expect_itself() const;
    [[nodiscard]] Status expect_file(std::string_view path, std::uint64_t size) const;
    // Moves a file into place: `from` relative to the open directory `from_directory`, `to` relative to this root, its
    // missing directories made. An existing file or symlink at `to` is replaced as a whole, a directory is refused.
    Status place(int from_directory, std::string_view from, std::string_view to) const;

  private:
    Root(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
    UniqueFd fd_{};
    std::string path_{};
};

// Opens a directory entry read-only if it is a regular file, without following a link or waiting for a FIFO's writer.
Result<UniqueFd> open_regular(int directory, std::string_view name, std::string_view shown);
// Flushes a directory's entries. Network and FUSE tiers that know no directory fsync answer EINVAL: that is not an
// error.
Status sync_directory(int fd, std::string_view shown);
// The path's last component and what precedes it ("" if nothing).
struct SplitPath {
    std::string_view parent{};
    std::string_view name{};
};
SplitPath split_last(std::string_view path);

}  // namespace drawhitch::disk
