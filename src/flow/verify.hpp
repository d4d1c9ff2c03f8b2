// verify: checks a pulled directory again, offline against its manifest, or against the box as well.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/manifest.hpp"
#include "flow/deps.hpp"

namespace drawhitch::flow {

struct VerifyOptions {
    std::string directory{};           // absolute; where MANIFEST.json lies
    std::optional<std::string> box{};  // also compare with this lease's box
    bool rehash{false};                // the box reads its files anew
    std::string pulled_by{};           // the command whose directory it is; empty: nobody knows
};

enum class VerifyState {
    good,      // hash and structure
    missing,   // not here
    damaged,   // here, and not what was pulled
    broken,    // the hash is right, the structure or the load test is not: it was damaged before it was pulled
    untested,  // hash and structure are right; the load test could not be started
    differs,   // right here; the box has another content under that name
    gone,      // right here; not on the box any more: no failure
};
std::string_view name_of(VerifyState state);

struct VerifiedFile {
    plan::ManifestFile file{};
    VerifyState state{VerifyState::good};
    std::string why{};
};

struct VerifyReport {
    plan::ManifestHead head{};
    std::vector<VerifiedFile> files{};
    std::optional<Error> problem{};  // Code::integrity when a file is missing, damaged or broken
};

// A directory in which a pull was interrupted is told as such, with the pull to take up again: instead of a missing
// manifest, or as the problem (Code::skipped) where all that is listed is good.
// Code::not_found when the directory holds no manifest; Code::config when that cannot be read.
Result<VerifyReport> verify(const Op& op, Deps& deps, const VerifyOptions& options);

}  // namespace drawhitch::flow
