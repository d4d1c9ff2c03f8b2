#include "flow/dying_places.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "base/text.hpp"
#include "core/judge/box_path.hpp"
#include "core/parse/mount_table.hpp"
#include "io/disk/write_atomic.hpp"

namespace drawhitch::flow {

namespace {

constexpr const char* k_mounts = "/proc/self/mountinfo";
constexpr std::size_t k_longest_table = 16U << 20U;
constexpr std::size_t k_longest_mark = 256;

std::string real_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real{::realpath(path.c_str(), nullptr), &std::free};
    return real ? std::string{real.get()} : std::string{};
}

}  // namespace

DyingPlaces::DyingPlaces(const model::Lease& lease, const judge::TierMap& tiers)
    : DyingPlaces(lease, tiers, disk::read_whole(std::string{k_mounts}, k_longest_table).value_or(std::string{})) {}

DyingPlaces::DyingPlaces(const model::Lease& lease, const judge::TierMap& tiers, std::string_view mounts)
    : lease_(lease), tiers_(&tiers) {
    same_paths_ = lease.endpoint.transport == model::TransportKind::local || carries_mark(lease.root);
    while (!mounts.empty()) {
        const std::string_view line = mounts.substr(0, mounts.find('\n'));
        mounts.remove_prefix(std::min(line.size() + 1, mounts.size()));
        read_mount(line);
    }
}

void DyingPlaces::read_mount(std::string_view line) {
    const auto mount = parse::mount_line(line);
    if (!mount) return;
    const std::string& source = mount->source;
    // "user@host:/path", as sshfs and NFS write it.
    const std::size_t colon = source.find(':');
    if (colon == std::string::npos) return;
    const std::string host = source.substr(source.find('@') < colon ? source.find('@') + 1 : 0);
    const std::string name = host.substr(0, host.find(':'));
    if (name.empty() || (name != lease_.endpoint.host && name != lease_.endpoint.alias)) return;
    const std::string path = source.substr(colon + 1);
    mounts_.push_back({mount->point, path.starts_with('/') ? judge::clean_box_path(path) : ""});
}

const std::string& DyingPlaces::real_directory(const std::string& path) {
    const auto known = directories_.find(path);
    return known != directories_.end() ? known->second : directories_[path] = real_path(path);
}

bool DyingPlaces::is_wiped(const std::string& box_path) const {
    const auto wiped = tiers_->wiped();
    return tiers_->dies(box_path) &&
           std::ranges::any_of(wiped, [&](const std::string& tier) { return judge::is_inside(box_path, tier); });
}

// The mark of this very lease: whatever the way that leads there, it is the box's project.
bool DyingPlaces::carries_mark(const std::string& directory) {
    if (lease_.root_nonce.empty() || directory.empty()) return false;
    const auto known = marked_.find(directory);
    if (known != marked_.end()) return known->second;
    const auto mark = disk::read_whole(directory + "/lease-nonce", k_longest_mark);
    return marked_[directory] = mark && trim(*mark) == lease_.root_nonce;
}

bool DyingPlaces::holds(const std::string& path) {
    if (tiers_ == nullptr) return false;
    const std::size_t name = path.rfind('/');
    if (name == std::string::npos) return false;
    const std::string& directory = real_directory(name == 0 ? "/" : path.substr(0, name));
    if (directory.empty()) return false;
    const std::string real = (directory == "/" ? "" : directory) + path.substr(name);
    if (same_paths_ && is_wiped(real)) return true;
    for (const Mount& mount : mounts_) {
        if (!judge::is_inside(real, mount.point)) continue;
        const std::string below = real.substr(std::min(real.size(), mount.point == "/" ? 0 : mount.point.size()));
        if (mount.source.empty() || is_wiped(judge::clean_box_path(mount.source + below))) return true;
    }
    if (!is_wiped(lease_.root)) return false;
    for (std::size_t slash = real.rfind('/'); slash != std::string::npos && slash > 0;
         slash = real.rfind('/', slash - 1))
        if (carries_mark(real.substr(0, slash))) return true;
    return false;
}

}  // namespace drawhitch::flow
