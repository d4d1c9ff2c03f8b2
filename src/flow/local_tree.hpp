// LocalTree: the project as it would be pushed: walked, ignore rules applied, secrets held back, flaws found, hashed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/project.hpp"
#include "core/parse/text_lint.hpp"
#include "core/plan/tree_policy.hpp"
#include "core/proto/file_entry.hpp"
#include "flow/transfer/push_types.hpp"
#include "io/disk/root.hpp"

namespace drawhitch::flow {

struct FlawedFile {
    std::string path{};
    std::vector<parse::Flaw> flaws{};
    bool fixed{false};
};

// Reads what is pushed: from the project, from where a followed link leads, or a repaired copy in memory.
class TreeSource {
  public:
    explicit TreeSource(disk::Root root) : root_(std::move(root)) {}
    // Forgets copies and links: a tree is collected anew.
    void clear() {
        replaced_.clear();
        followed_.clear();
    }
    void replace(const std::string& path, std::string content) { replaced_[path] = std::move(content); }
    void follow(const std::string& path, std::string absolute) { followed_[path] = std::move(absolute); }
    // Where the content of `path` really lies, when it was followed to there; null for a file of the project's own.
    [[nodiscard]] const std::string* followed(const std::string& path) const {
        const auto found = followed_.find(path);
        return found == followed_.end() ? nullptr : &found->second;
    }

    [[nodiscard]] const disk::Root& root() const { return root_; }
    [[nodiscard]] Result<UniqueFd> open(const std::string& path) const;
    // Thread-safe; nothing if the file is not there any more or shorter.
    [[nodiscard]] std::optional<std::string> read(const std::string& path, std::uint64_t offset,
                                                  std::size_t size) const;

  private:
    disk::Root root_;
    std::map<std::string, std::string> replaced_{};
    std::map<std::string, std::string> followed_{};
};

// A link in whose place goes what it points to.
struct FollowedLink {
    std::string path{};
    std::string target{};    // absolute, without links in it
    std::uint64_t files{0};  // found there: more than 1 only below a directory
};

struct LocalTree {
    std::vector<proto::FileEntry> entries{};           // directories, files with root digests, symlinks; scan order
    std::vector<std::vector<proto::Digest>> leaves{};  // per entry; empty but for files
    std::vector<plan::LeftOut> held_back{};            // look like secrets
    std::vector<plan::LeftOut> left_out{};             // cannot or may not go
    std::vector<plan::LeftOut> remarks{};              // go, with something to say about it
    std::vector<FollowedLink> followed{};              // push.outside_links = "follow"
    std::vector<FlawedFile> flawed{};                  // line ends, byte order marks, execute bits
    std::uint64_t files{0};
    std::uint64_t bytes{0};
    std::uint64_t ignored{0};  // entries the ignore rules left out, directories counted once
    proto::Digest hash{};      // names the tree
};

struct TreeRules {
    model::PushRules push{};
    // Fix line ends, byte order marks and execute bits in what is pushed, not in the project.
    bool fix_eol{false};
    // Where pulls land, relative to the project: results are never pushed back. "" = nowhere below it.
    std::string pull_dir{};
};

// Walks and hashes. A file that changes while it is read is read again (three times at most, then Code::changed).
// Codes: usage (special files under the policy `error`, a bad pattern), not_found, permission, cancelled, changed.
Result<LocalTree> collect_tree(const Op& op, TreeSource& source, const TreeRules& rules);

// What of `entries` goes as PushItems below `prefix` ("releases/.staging/"), read-only.
std::vector<PushItem> push_items(const LocalTree& tree, const std::vector<std::size_t>& which,
                                 const std::string& prefix);

}  // namespace drawhitch::flow
