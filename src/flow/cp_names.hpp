// Whether a copy's names stay apart in the directory on the box that it goes to. Part of cp.
#pragma once

#include <vector>

#include "core/proto/file_entry.hpp"
#include "flow/cp_places.hpp"
#include "flow/transfer/link.hpp"

namespace drawhitch::flow {

// Code::usage with the pairs, when that directory takes two names of the copy for one. Asks the box (which tries it out
// in the claimed directory) only about names that some file system could confuse. Codes besides: the connection's.
Status check_names_there(const Op& op, Link& link, const std::vector<proto::FileEntry>& entries, const Place& to);

}  // namespace drawhitch::flow
