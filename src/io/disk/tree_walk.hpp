// Walking a local tree: every entry once, in a fixed order, nothing opened but directories. Owns no decisions: what is
// left out is asked of the caller.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/op.hpp"
#include "core/proto/file_entry.hpp"
#include "io/disk/root.hpp"

namespace drawhitch::disk {

// How the walk talks back. Called from the walking thread only.
struct WalkCallbacks {
    // True: leave this entry out, a directory with all below it. May be empty.
    std::function<bool(std::string_view path, proto::FileType type)> ignored{};
    // Every entry kept, FIFOs, sockets and devices included (they are never opened). A directory comes before what is
    // in it; names in one directory come in byte order. An Error ends the walk.
    std::function<Status(const proto::FileEntry&)> entry{};
    // What could not be read (a directory without permission, a name that vanished, a tree deeper than 512): the walk
    // goes on. The error names the path.
    std::function<void(std::string_view path, const Error&)> problem{};
};

// What lstat says, in the words of the wire; `target`, digests and `mount_point` are left empty.
proto::FileEntry entry_from_stat(std::string path, const struct stat& found);

// Walks all below `root`. A directory on another device is a mount point: it is entered like any other, since a user's
// project may well lie across mounts; `mount_point` tells. Memory: the names of the directories on the way down only,
// so 200 000 files cost what their largest directories cost. Checks op at every entry: a cancelled walk ends within one
// system call. Codes: cancelled, deadline, what `entry` returned; an unreadable root itself.
Status walk(const Op& op, const Root& root, const WalkCallbacks& callbacks);

}  // namespace drawhitch::disk
