// Asking a box what kind of machine it is, over any transport, before or without a helper.
#pragma once

#include "core/model/machine.hpp"
#include "core/model/profile.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::flow {

// One script; the places looked at are the profile's: "data", "durable", "volatile", and "home" and "tmp". Codes: those
// of run_script, remote_failed when the script did not run to its end.
Result<model::MachineFacts> inspect(const Op& op, transport::Transport& transport, const model::Profile& profile);

}  // namespace drawhitch::flow
