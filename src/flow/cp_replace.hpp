// What a copy finds at its targets: files with the same content already, others that it would replace, and places that
// no copy may write to. Part of cp.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/proto/digest.hpp"
#include "flow/deps.hpp"

namespace drawhitch::flow {

// One file or link that is about to be written.
struct CopyTarget {
    std::string path{};  // relative to the destination
    std::uint64_t size{0};
    std::string link{};  // where a symlink leads; empty for a file
};

struct Standing {
    std::set<std::string> same{};      // targets with the very same content
    std::vector<std::string> other{};  // targets at which something else lies
};

// `is_same(target)` is asked for files of equal size only.
using SameContent = std::function<Result<bool>(const CopyTarget& target)>;

// In a directory here, which need not exist.
Result<Standing> standing_here(const std::string& directory, const std::vector<CopyTarget>& targets,
                               const SameContent& is_same);

// Shows what would be replaced and asks; `again` is the whole command without --yes. Code::exists unless agreed.
Status agree_to_replace(const Op& op, Deps& deps, const std::vector<std::string>& other, const std::string& again);

// Code::exists when a target, an absolute path on the box, lies in the releases or the records of runs below `root`:
// these prove what was pushed and what ran, and are never changed. A run's working directory is no record.
Status refuse_records(const std::string& root, const std::vector<std::string>& targets);

}  // namespace drawhitch::flow
