// Roots and the only way to a file below one: component by component from the root's descriptor, following no symlink.
// Every system call on a user's path in the helper starts from a Place made here.
#pragma once

#include <sys/stat.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "core/proto/messages_tree.hpp"
#include "helper/claim.hpp"
#include "helper/outcome.hpp"

namespace drawhitch::helper {

// A name in an open directory: what *at() calls take. The root itself is "." in itself.
struct Place {
    UniqueFd parent{};  // O_PATH
    std::string name{};
    std::string path{};  // relative to the root, for answers

    [[nodiscard]] bool is_root() const { return path.empty(); }
};

struct Root {
    UniqueFd fd{};  // O_PATH
    std::string path{};
    struct stat info {};
    std::optional<Claim> claim{};
};

// To be held during every single change below the root. unclaimed, fenced or busy.
Outcome<Claim::Guard> guard_change(Root& root, std::uint64_t epoch);

class Roots {
  public:
    Outcome<proto::RootOpened> open(const proto::OpenRoot& request);
    Outcome<Root*> find(proto::RootId id);
    // The root, if this connection may change it under `epoch`; each change itself still needs guard_change.
    Outcome<Root*> claimed(proto::RootId id, std::uint64_t epoch);

  private:
    std::map<proto::RootId, Root> roots_{};
};

enum class Need {
    look,    // any safe path, or the root itself
    change,  // not the root itself, and outside the private directory
    discard  // as change, but what lies in the parts directory may be named, too
};

// Opens the parent of `path`. unsafe_path for a malformed path, a symlink on the way, or what `need` forbids.
Outcome<Place> locate(const Root& root, std::string_view path, Need need);
// The same, creating missing parent directories (umask applies). Call it under a guard.
Outcome<Place> locate_making_parents(const Root& root, std::string_view path);
// A directory below `parent` (O_PATH), never through a symlink.
Outcome<UniqueFd> open_directory(int parent, const std::string& name, std::string_view path);
// Something to list or fsync: the same directory opened for reading.
Outcome<UniqueFd> open_for_listing(int directory, std::string_view path);

// lstat.
Outcome<struct stat> look_at(const Place& place);
// Opens a regular file for reading; FIFOs and devices are never opened. `info` is of the open file.
struct OpenedFile {
    UniqueFd fd{};
    struct stat info {};
};
Outcome<OpenedFile> open_file(const Place& place);

// Everything a FileEntry says but path, digests and mount_point. Reads a symlink's target.
proto::FileEntry entry_of(const Place& place);
proto::FileEntry entry_of(const struct stat& info, int parent, const std::string& name, std::string path);
proto::Fence fence_of(const struct stat& info);

// `parts` of a claimed root, made if missing.
Outcome<UniqueFd> open_parts(const Root& root);
bool is_part_name(std::string_view name);

}  // namespace drawhitch::helper
