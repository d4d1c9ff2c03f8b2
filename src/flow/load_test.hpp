// The user's own load test (pull.verify_cmd): runs a program of this machine on a unit that is here and proven. It
// never decides what the answer means for a receipt.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/op.hpp"
#include "core/model/roster.hpp"
#include "flow/deps.hpp"

namespace drawhitch::flow {

enum class Loading {
    passed,
    failed,   // exit code, signal or time limit: the unit is not what it should be
    not_run,  // the program could not be started: nothing is known
};

struct LoadVerdict {
    Loading state{Loading::passed};
    std::string why{};  // printable; empty when passed
};

// True when this project has a load test, and this unit is one for it: not the record that drawhitch itself keeps.
bool wants_load_test(const Deps& deps, std::string_view unit);

// Runs it once, in the project's directory and never in the pull's: many programs take code from where they start, and
// what a box sent must not run here. `root` is the absolute directory of the pull, `files` the unit's paths in it. A
// word with "{}" gets the absolute path of the unit in its place (a directory's, if the unit is one; a word for each
// file of a set of shards); without such a word the paths are appended. Codes: cancelled, deadline of `op`.
Result<LoadVerdict> load_test(const Op& op, const Deps& deps, const std::string& root, const std::string& unit,
                              const std::vector<std::string>& files);

// The same, unless these bytes passed the same command before: then the ledger's word is taken. What passes is
// recorded, what fails is forgotten. `files` are the unit's, with their root digests. With `again` it is run in any
// case.
Result<LoadVerdict> load_test_once(const Op& op, const Deps& deps, const std::string& root, const std::string& unit,
                                   std::span<const model::ManifestEntry> files, bool again = false);

// The argument vector that load_test starts.
std::vector<std::string> load_test_argv(const std::vector<std::string>& command, const std::string& root,
                                        const std::string& unit, const std::vector<std::string>& files);

}  // namespace drawhitch::flow
