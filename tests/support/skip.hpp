// The one way for a test to be skipped, so that nothing is left out unseen: the reason is printed, and under
// DRAWHITCH_NO_SKIPS (which .ci/run sets) lacking what scripts/setup installs is a failure.
#pragma once

#include <string>

namespace drawhitch::support {

// Call it where something that the test needs is missing; `what` names it: "qemu-aarch64". Does not return.
[[noreturn]] void skip_without(const std::string& what);

// For what needs root, and nothing that could be installed: skipped for everybody else, `why` is printed. Returns where
// we are root.
void skip_unless_root(const std::string& why);

}  // namespace drawhitch::support
