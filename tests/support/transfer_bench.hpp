// Trees to move and the checks after moving them, shared by the tests of the transfer engine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "flow/transfer/fence.hpp"
#include "flow/transfer/pull_types.hpp"
#include "flow/transfer/push_types.hpp"

namespace drawhitch::support {

// Never waits, so that back-off costs a test nothing.
class HastyClock final : public Clock {
  public:
    Instant now() const override { return system_clock().now(); }
    WallTime wall() const override { return system_clock().wall(); }
    void sleep(milliseconds, const Cancel&) override {}
};

// Path to content.
class ProgramBench;

using Tree = std::map<std::string, std::string>;

// Bytes that do not compress; the same for the same seed.
std::string noise(std::size_t size, unsigned seed);

// One large file that does not compress, zeros, text, small files, an empty one, odd names.
Tree sample_tree();

// Writes the tree below `root` with times long ago, so that nothing is in doubt for its age.
void plant(const std::string& root, const Tree& tree);

// Everything below `root`, as a scan of it would say.
std::vector<flow::PullItem> items_of(const Op& op, const std::string& root);

// Pulls into `to`, keeping what is left of the pull unless it was complete.
flow::PullOutcome pull(const Op& op, const flow::Dial& dial, const std::string& to, std::vector<flow::PullItem> items,
                       int connections = 1);

// Pushes from `from` to tree/ below the root of the links, which `fence` claims.
flow::PushOutcome push(const Op& op, const flow::Dial& dial, flow::Fence& fence, const std::string& from,
                       const Tree& tree, int connections = 1);

// The first name below `root` that holds other bytes than the tree says; with `complete`, or that is missing. Empty:
// all is right.
std::string wrong_file(const std::string& root, const Tree& tree, bool complete);

// A run r1 on the bench's box with the roster out/**, which has ended, and `tree` in its work directory. The outputs
// come after the launch, which may tell that they are missing. Throws when the run never ends.
void make_run(const ProgramBench& bench, const Tree& tree);

}  // namespace drawhitch::support
