// What a lease itself tells of its box: where its data lie, and whether anything there ends with it.
#pragma once

#include <string>

#include "core/model/lease.hpp"

namespace drawhitch::flow {

// The data directory that the lease was adopted with, whatever the profile says today. Empty where the root is none
// that adopt makes.
std::string data_dir_of(const model::Lease& lease);

// False for a machine of which the profile kept with the lease destroys nothing when it ends (the user's own).
// True where that cannot be read.
bool anything_dies(const model::Lease& lease);

}  // namespace drawhitch::flow
