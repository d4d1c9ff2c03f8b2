// TestBox: this machine as the box, reached through the built helper over any transport. For tests of the transfer
// engine and the flows above it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "flow/transfer/fence.hpp"
#include "flow/transfer/link.hpp"
#include "io/agent/helper_images.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::support {

// The helper of this build, as something that can be put on a box.
const agent::HelperImages& built_helper();
std::string built_helper_path();

// What a push asks for that nobody else made.
agent::ClaimOptions some_push();

// Dials the helper over `transport` (not owned) with `root` opened. With `fence` (not owned) the root is made, if need
// be, and claimed.
flow::Dial dial_box(transport::Transport& transport, const std::string& root, flow::Fence* fence = nullptr);

// The same with a transport of its own for every connection.
using MakeTransport = std::function<std::unique_ptr<transport::Transport>()>;
flow::Dial dial_box_with(MakeTransport make, const std::string& root, flow::Fence* fence = nullptr);

}  // namespace drawhitch::support
