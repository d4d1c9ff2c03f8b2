#include "core/judge/usage.hpp"

#include <algorithm>
#include <array>

#include "core/judge/box_path.hpp"

namespace drawhitch::judge {

namespace {

constexpr std::array<std::string_view, 22> k_made_up_types{
    "autofs",   "binfmt_misc", "bpf",        "cgroup",    "cgroup2", "configfs", "debugfs", "devpts",
    "devtmpfs", "efivarfs",    "fusectl",    "hugetlbfs", "mqueue",  "nfsd",     "nsfs",    "proc",
    "pstore",   "rpc_pipefs",  "securityfs", "selinuxfs", "sysfs",   "tracefs",
};

bool lies_below(std::string_view path, std::string_view directory) {
    return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

std::size_t depth_below_place(std::string_view path) {
    return static_cast<std::size_t>(std::ranges::count(path, '/')) + 1;
}

bool is_larger(const UsageRow& left, const UsageRow& right) {
    if (left.usage.allocated != right.usage.allocated) return left.usage.allocated > right.usage.allocated;
    if (left.usage.entries != right.usage.entries) return left.usage.entries > right.usage.entries;
    return left.path < right.path;
}

int kept_by(const model::Storage& storage) {
    int events = 0;
    for (const auto event : {model::Downtime::restart, model::Downtime::stop, model::Downtime::terminate})
        events += model::survives(storage, event) ? 1 : 0;
    return events;
}

}  // namespace

const model::Mount* mount_of(const std::vector<model::Mount>& mounts, std::string_view path) {
    const model::Mount* nearest = nullptr;
    for (const model::Mount& mount : mounts) {
        if (!is_inside(path, mount.point)) continue;
        if (nearest == nullptr || mount.point.size() >= nearest->point.size()) nearest = &mount;
    }
    return nearest;
}

bool holds_files(const model::Mount& mount) {
    return std::ranges::find(k_made_up_types, mount.type) == k_made_up_types.end();
}

const model::Storage* tier_of(const std::vector<TierPlace>& tiers, std::string_view path) {
    const TierPlace* nearest = nullptr;
    for (const TierPlace& tier : tiers) {
        if (tier.real.empty() || !is_inside(path, tier.real)) continue;
        const bool nearer = nearest == nullptr || tier.real.size() > nearest->real.size();
        const bool worse = nearest != nullptr && tier.real.size() == nearest->real.size() &&
                           kept_by(*tier.storage) < kept_by(*nearest->storage);
        if (nearer || worse) nearest = &tier;
    }
    return nearest == nullptr ? nullptr : nearest->storage;
}

UsageTally::UsageTally(Options options) : options_(std::move(options)) {}

// A file of several names counts where its first one stands. Once all of them were seen it is forgotten.
bool UsageTally::counts_bytes(const UsedEntry& entry) {
    if (entry.directory || entry.links < 2) return true;
    const auto [known, first] = names_to_come_.try_emplace({entry.dev, entry.ino}, entry.links);
    if (--known->second == 0) names_to_come_.erase(known);
    return first;
}

void UsageTally::close_last() {
    Open last = std::move(open_.back());
    open_.pop_back();
    if (last.always) {
        sums_.always.push_back(std::move(last.row));
        return;
    }
    // A heap whose first is the smallest of the largest.
    sums_.largest.push_back(std::move(last.row));
    std::ranges::push_heap(sums_.largest, is_larger);
    if (sums_.largest.size() <= options_.top) return;
    std::ranges::pop_heap(sums_.largest, is_larger);
    sums_.largest.pop_back();
    ++sums_.left_out;
}

void UsageTally::close_until(std::string_view path) {
    while (!open_.empty() && !lies_below(path, open_.back().row.path))
        close_last();
}

void UsageTally::add(const UsedEntry& entry) {
    close_until(entry.path);
    if (entry.directory && !entry.path.empty()) {
        const bool always = std::ranges::find(options_.always, entry.path) != options_.always.end();
        if (always || depth_below_place(entry.path) <= options_.depth) open_.push_back({{entry.path, {}}, always});
    }
    const bool weighs = counts_bytes(entry);
    const auto count = [&](Usage& usage) {
        ++usage.entries;
        if (entry.unreadable) ++usage.unreadable;
        if (!weighs) return;
        ++usage.inodes;
        usage.allocated += entry.allocated;
        usage.apparent += entry.apparent;
    };
    count(sums_.whole);
    for (Open& open : open_)
        count(open.row.usage);
}

UsageTally::Sums UsageTally::finish() {
    while (!open_.empty())
        close_last();
    std::ranges::sort(sums_.largest, is_larger);
    std::ranges::sort(sums_.always, {}, &UsageRow::path);
    return std::move(sums_);
}

}  // namespace drawhitch::judge
