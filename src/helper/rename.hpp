// The few changes that several requests share: putting a finished file into place, and making it durable.
#pragma once

#include <string>
#include <string_view>

#include "helper/root.hpp"

namespace drawhitch::helper {

// renameat, or with `no_replace` a rename that fails with `exists`: by renameat2, else by link and unlink, else, on
// file systems that can do neither, by a look before.
Done rename_into(int from_directory, const std::string& from, const Place& to, bool no_replace);

// fsync of the directory a place lies in. File systems that cannot are no failure.
Done sync_directory_of(const Place& place);
// fsync of a file, with the same exception.
Done sync_file(int fd, std::string_view path);

// The locate for a change that creates `path`, making parents if told to.
Outcome<Place> locate_for_creation(const Root& root, std::string_view path, bool make_parents);

}  // namespace drawhitch::helper
