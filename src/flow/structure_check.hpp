// Structure checks of local files: joins core/parse to the disk.
#pragma once

#include <string>
#include <vector>

#include "base/op.hpp"
#include "core/parse/structure.hpp"
#include "io/disk/root.hpp"

namespace drawhitch::flow {

// Checks one file below `root`. Codes: those of reading, cancelled, deadline.
Result<parse::StructureVerdict> check_file_structure(const Op& op, const disk::Root& root, const std::string& path);

// For a file that tells of those beside it (parse::tells_of_others), once all of its unit are here and right: whether
// they hold what it says. Codes as above.
Result<parse::StructureVerdict> check_set_structure(const Op& op, const disk::Root& root, const std::string& path);

// The files beside `path` that it names and that its unit must have, by their paths below `root`; none where it names
// none, or cannot be read.
std::vector<std::string> named_by(const Op& op, const disk::Root& root, const std::string& path);

}  // namespace drawhitch::flow
