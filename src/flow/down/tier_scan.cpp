#include "flow/down/tier_scan.hpp"

#include <cerrno>

#include "core/judge/box_path.hpp"
#include "core/judge/own_files.hpp"
#include "core/proto/limits.hpp"
#include "flow/run_files.hpp"

namespace drawhitch::flow {

namespace {

// Beyond this many entries a tier counts as not looked at: nobody would read the list, and memory has an end.
constexpr std::uint64_t k_most_entries = 5'000'000;

static_assert(judge::k_private_name == proto::k_private_dir);

std::string below(const std::string& place, const std::string& relative) {
    if (relative.empty()) return place;
    return place == "/" ? "/" + relative : place + "/" + relative;
}

// Errors of one place, as opposed to those of the connection.
bool is_about_the_place(const Error& error) {
    return error.code == Code::permission || error.code == Code::unsafe_path || error.code == Code::local_io ||
           error.code == Code::remote_failed;
}

}  // namespace

TierScan::TierScan(BoxRoots& roots, const judge::TierMap& tiers, const std::string& home, judge::Undeclared& undeclared)
    : roots_(roots), tiers_(tiers), undeclared_(undeclared), not_searched_(judge::places_not_searched(home)) {}

std::vector<std::string> TierScan::skipped_below(const std::string& place) const {
    std::vector<std::string> skip{};
    const auto add = [&](const std::string& path) {
        if (path == place || !judge::is_inside(path, place)) return;
        skip.push_back(path.substr(place == "/" ? 1 : place.size() + 1));
    };
    for (const std::string& path : not_searched_)
        add(path);
    // Tiers inside this one speak for themselves.
    for (const judge::Tier& tier : tiers_.tiers())
        if (!tier.path.empty()) add(tier.path);
    return skip;
}

Result<bool> TierScan::look(const Op& op, const judge::Tier& tier) {
    if (tier.path.empty()) return true;  // off the box: nothing to see from here
    TRY_ASSIGN(bool complete, walk(op, tier.path));
    while (!mounts_.empty()) {
        const std::string mount = *mounts_.begin();
        mounts_.erase(mounts_.begin());
        if (walked_.contains(mount) || !tiers_.dies(mount)) continue;
        TRY_ASSIGN(const bool whole, walk(op, mount));
        complete = complete && whole;
    }
    return complete;
}

Result<bool> TierScan::walk(const Op& op, const std::string& place) {
    TRY(op.check());
    walked_.insert(place);
    const auto root = roots_.open(op, place);
    if (!root && root.error().code == Code::not_found) return true;
    if (!root && is_about_the_place(root.error())) return false;
    if (!root) return root.error();
    proto::Scan scan{};
    scan.root = *root;
    scan.skip = skipped_below(place);
    scan.max_entries = k_most_entries;
    const auto end = roots_.agent().scan(op, scan, [&](proto::FileEntry&& entry) { return take(place, entry); });
    if (!end && is_about_the_place(end.error())) return false;
    if (!end) return end.error();
    // A scan leaves out what the place itself keeps for us. It is looked at like anything else: not all of it need be
    // ours.
    TRY_ASSIGN(const bool rest, walk(op, below(place, std::string{judge::k_private_name})));
    return rest && !end->truncated;
}

Status TierScan::take(const std::string& place, const proto::FileEntry& entry) {
    if (entry.error == proto::k_linux_enoent) return ok();  // gone since it was listed
    judge::SeenFile seen{};
    seen.path = below(place, entry.path);
    seen.size = entry.size;
    seen.changed = wall_of(entry.ctime_ns);
    seen.directory = entry.type == proto::FileType::directory;
    seen.unreadable = entry.error != 0;
    if (seen.directory && entry.mount_point && entry.error == 0) {
        mounts_.insert(seen.path);
        return ok();
    }
    // Links, pipes, sockets and devices hold nothing that could be lost.
    const bool holds_data = entry.type == proto::FileType::file || seen.directory || seen.unreadable;
    if (holds_data) (void)undeclared_.add(seen);  // what explains it is not asked here
    return ok();
}

}  // namespace drawhitch::flow
