#include "flow/down/copied.hpp"

#include <sys/stat.h>

#include <iterator>
#include <map>
#include <set>
#include <string>

#include "base/text.hpp"
#include "core/judge/box_path.hpp"
#include "core/proto/limits.hpp"
#include "flow/down/run_standing.hpp"
#include "flow/hash_files.hpp"
#include "io/disk/set_aside.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

using NextRoot = decltype(Copied::roots)::const_iterator;
// As many files are named in the plan, of either sort.
constexpr std::size_t k_named = 12;

// As many of the paths as fit into one request, from `next` on; those that survive need no explanation.
std::vector<std::string> some_paths(const Copied& copied, const judge::TierMap& tiers, NextRoot& next) {
    std::vector<std::string> paths{};
    for (std::size_t bytes = 0; next != copied.roots.end() && bytes < proto::k_path_bytes; ++next) {
        if (judge::clean_box_path(next->first) != next->first || !tiers.dies(next->first)) continue;
        bytes += next->first.size() + 8;
        paths.push_back(next->first.substr(1));
    }
    return paths;
}

// Those that still have the content that was copied, by path, with that content's digest.
Status compare(const Op& op, BoxRoots& roots, const Copied& copied, std::vector<std::string> paths, bool rehash,
               std::map<std::string, std::string>& same) {
    const auto top = roots.open(op, "/");
    if (!top) return ends_the_look(top.error()) ? Status{top.error()} : ok();
    proto::Scan scan{};
    scan.root = *top;
    scan.digests = true;
    scan.rehash = rehash;
    scan.subtrees = std::move(paths);
    const auto end = roots.agent().scan(op, scan, [&](proto::FileEntry&& entry) -> Status {
        const auto known = copied.roots.find("/" + entry.path);
        if (known == copied.roots.end() || entry.type != proto::FileType::file || !entry.root) return ok();
        if (known->second.contains(entry.root->hex())) same.emplace(known->first, entry.root->hex());
        return ok();
    });
    return !end && ends_the_look(end.error()) ? Status{end.error()} : ok();
}

// Whether the laptop's file still is that copy.
Result<bool> stands_here(const Op& op, DyingPlaces& dying, const Copied::Places::value_type& place,
                         const std::string& root) {
    const auto& [path, state] = place;
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || dying.holds(path)) return false;
    const disk::Stamp now = disk::stamp_of(found);
    if (state.ctime_ns != 0 && state == exchange::CopiedState{now.ino, now.mtime_ns, now.ctime_ns, now.size})
        return true;
    op.note("reading " + printable(path) + ": it is not in the state in which it was copied");
    TRY_ASSIGN(const HashedFile file, hash_copy(op, path, false));
    return !file.error && file.digests.root.hex() == root;
}

// Lines for the plan; the rest is a number.
class Told {
  public:
    explicit Told(std::string rest) : rest_(std::move(rest)) {}
    void add(std::string line) {
        if (++count_ <= k_named) lines_.push_back(std::move(line));
    }
    void move_to(std::vector<std::string>& notes) {
        std::move(lines_.begin(), lines_.end(), std::back_inserter(notes));
        if (count_ > k_named) notes.push_back(std::to_string(count_ - k_named) + rest_);
    }

  private:
    std::string rest_{};
    std::size_t count_{0};
    std::vector<std::string> lines_{};
};

}  // namespace

Result<Copied> read_copied(const Op& op, Deps& deps, const std::vector<std::int64_t>& leases) {
    Copied copied{};
    for (const std::int64_t lease : leases) {
        std::int64_t after = 0;
        for (;;) {
            TRY(op.check());
            TRY_ASSIGN(const auto events, deps.ledger.events(lease, after));
            if (events.empty()) break;
            for (const ledger::Event& event : events) {
                if (event.kind == exchange::k_writing_event) copied.written.insert(exchange::writing_of(event.json));
                if (event.kind != exchange::k_copied_event) continue;
                for (exchange::CopiedEntry& file : exchange::copied_of(event.json))
                    copied.roots[file.path][file.root][std::move(file.here)] = file.state;
            }
            after = events.back().id;
        }
    }
    return copied;
}

Result<std::vector<std::string>> explain_copied(const Op& op, BoxRoots& roots, const Dying& dying, const Copied& copied,
                                                judge::Explanations& why) {
    for (const std::string& place : copied.written)
        if (!place.empty()) why.written.push_back(place);
    std::map<std::string, std::string> same;
    for (NextRoot next = copied.roots.begin(); next != copied.roots.end();) {
        std::vector<std::string> paths = some_paths(copied, dying.tiers, next);
        if (!paths.empty()) TRY(compare(op, roots, copied, std::move(paths), dying.rehash, same));
    }
    Told standing{" more files stand on this machine as cp copied them"};
    Told lost{" more files have no copy on this machine any more as cp made or read it"};
    for (const auto& [path, root] : same) {
        const Copied::Places& places = copied.roots.at(path).at(root);
        std::string found;
        for (const Copied::Places::value_type& place : places) {
            if (!found.empty() || place.first.empty()) continue;
            TRY_ASSIGN(const bool here, stands_here(op, dying.here, place, root));
            if (here) found = place.first;
        }
        if (!found.empty()) {
            why.files.emplace(path, judge::Explained::copied);
            standing.add(printable(path) + " is " + printable(found) + " here, as cp copied it");
        } else {
            lost.add(printable(path) + ": " + printable(places.rbegin()->first) +
                     " here is not (or no more) the copy that cp knew");
        }
    }
    std::vector<std::string> notes;
    lost.move_to(notes);
    standing.move_to(notes);
    return notes;
}

}  // namespace drawhitch::flow
