// Structure checks of local files: joins core/parse to the disk.
#pragma once

#include <string>

#include "base/op.hpp"
#include "core/parse/structure.hpp"
#include "io/disk/root.hpp"

namespace drawhitch::flow {

// Checks one file below `root`. Codes: those of reading, cancelled, deadline.
Result<parse::StructureVerdict> check_file_structure(const Op& op, const disk::Root& root, const std::string& path);

}  // namespace drawhitch::flow
