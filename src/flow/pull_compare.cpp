#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>

#include "base/text.hpp"
#include "core/config/load_profile.hpp"
#include "core/parse/glob.hpp"
#include "core/plan/home_names.hpp"
#include "core/plan/pull_base.hpp"
#include "core/plan/pull_cost.hpp"
#include "core/proto/limits.hpp"
#include "flow/bandwidth.hpp"
#include "flow/lease_word.hpp"
#include "flow/name_check.hpp"
#include "flow/pull_owner.hpp"
#include "flow/pull_task.hpp"
#include "io/disk/name_rules.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

// How fast pulls of a lease were, in raw bytes a second.
constexpr const char* k_rate_series = "pull.bytes_per_s";
constexpr std::int64_t k_rates_for_seconds = 30LL * 86'400;
constexpr std::size_t k_rates = 5;
constexpr std::uint64_t k_least_rated = 4U << 20U;      // fewer bytes are the beginning of a transfer, and no rate
constexpr std::uint64_t k_least_announced = 1U << 20U;  // a moment, whatever the link

}  // namespace

PulledFile file_of(const proto::FileEntry& entry, const plan::Unit& unit) {
    PulledFile file{};
    file.entry.unit = unit.name;
    file.entry.path = entry.path;
    file.entry.size = entry.size;
    file.entry.mtime = wall_of(entry.mtime_ns);
    file.entry.wanted = unit.wanted;
    file.mode = entry.mode & 0777U;
    return file;
}

void take_digests(PulledFile& file, const proto::Digest& root, const proto::Digest& sha256) {
    file.entry.root = root.hex();
    file.entry.sha256 = sha256.hex();
}

// What is here already and equal is kept; `items_` is the rest.
Status Pull::compare() {
    for (const plan::Unit& unit : selection_.units) {
        for (const std::size_t index : unit.files) {
            report_.files.resize(std::max(report_.files.size(), index + 1));
            report_.files[index] = file_of(selection_.entries[index], unit);
        }
    }
    std::map<std::string, plan::LocalFile> local;
    if (auto root = disk::Root::open(report_.directory)) {
        TRY_ASSIGN(local, local_files(op_, *root, selection_.entries));
        for (const proto::FileEntry& entry : selection_.entries)
            if (auto found = root->stat_entry(entry.path)) present_.emplace(entry.path, *found);
        notes_ = disk::read_landing_notes(*root, landing_id());
    }
    std::vector<std::size_t> asked = plan::candidates(selection_.entries, local);
    std::erase_if(asked, [this](std::size_t index) { return selection_.being_written[index]; });
    if (!asked.empty()) {
        TRY(ask([&](const Op& op, Link& link) {
            return add_digests(op, *link.agent, link.root, selection_.entries, {asked, options_.rehash});
        }));
    }
    TRY(put_in_order());
    for (std::size_t directory = 0; directory < report_.directories.size(); ++directory) {
        const std::size_t before = items_.size();
        for (const std::size_t unit : report_.directories[directory].units)
            for (const std::size_t file : selection_.units[unit].files)
                sort_out(file, local);
        for (std::size_t item = before; item < items_.size(); ++item)
            items_[item].group = static_cast<std::uint32_t>(directory);
    }
    TRY(find_bases());
    TRY(find_owners(local));
    return in_the_way_.empty() ? ok() : refuse_to_overwrite();
}

// Which directories come first, as the user wishes.
Status Pull::put_in_order() {
    std::vector<parse::Glob> first;
    for (const std::string& pattern : options_.first) {
        TRY_ASSIGN(auto glob, parse::Glob::compile(pattern));
        first.push_back(std::move(glob));
    }
    std::vector<bool> met(first.size(), false);
    const auto rank = [&](std::string_view path) {
        const std::string on_box = plan::work_name(path);
        std::size_t soonest = first.size();
        for (std::size_t i = first.size(); i-- > 0;) {
            if (!first[i].covers(path) && !first[i].covers(on_box)) continue;
            met[i] = true;
            soonest = i;
        }
        return soonest;
    };
    report_.directories = plan::pull_order(selection_.units, selection_.entries, rank);
    for (std::size_t i = 0; i < first.size() && followed_ == nullptr; ++i)
        if (!met[i]) op_.note("nothing that is to come first matches \"" + printable(options_.first[i]) + "\"");
    return ok();
}

void Pull::sort_out(std::size_t index, const std::map<std::string, plan::LocalFile>& local) {
    proto::FileEntry& entry = selection_.entries[index];
    PulledFile& file = report_.files[index];
    if (entry.type == proto::FileType::unknown) {
        file.state = FileState::vanished;
        file.why = "it is gone from the box";
        return;
    }
    if (std::string problem = name_problem(entry.path); !problem.empty()) {
        file.state = FileState::failed;
        file.why = std::move(problem);
        return;
    }
    const auto here = local.find(entry.path);
    if (entry.root && here != local.end() && here->second.root == entry.root) {
        file.state = FileState::kept;
        file.entry.size = entry.size;
        take_digests(file, *entry.root, here->second.sha256);
        return;
    }
    PullItem item{};
    item.source = entry;
    item.source.path = box_path(entry.path);
    item.target = entry.path;
    item.growing = selection_.being_written[index];
    item.doubt = !item.growing && is_young(entry, selection_.box_seconds);
    items_.push_back(std::move(item));
    item_files_.push_back(index);
    report_.planned_bytes += entry.size;
}

// What may come as a difference to an earlier file of its series: one that a pull of this run proved here, and that is
// still in that state.
Status Pull::find_bases() {
    const auto comes_in_chunks = [](const PullItem& item) {
        return item.source.size > proto::k_small_max && !item.growing;
    };
    if (std::ranges::none_of(items_, comes_in_chunks)) return ok();
    const auto root = disk::Root::open(report_.directory);
    if (!root) return ok();
    TRY_ASSIGN(const auto held, deps_.ledger.held_files(run_.id));
    const std::string below = report_.directory + "/";
    std::vector<plan::EarlierFile> earlier;
    std::map<std::string_view, disk::Stamp> stamps;
    for (const auto& [path, file] : held) {
        const auto digest = proto::Digest::from_hex(file.root);
        if (!path.starts_with(below) || !digest || file.size <= proto::k_small_max || file.stamp.ctime_ns == 0)
            continue;
        earlier.push_back({path.substr(below.size()), file.size, *digest});
        stamps.emplace(std::string_view{path}.substr(below.size()), file.stamp);
    }
    const plan::EarlierFiles files{std::move(earlier)};
    for (PullItem& item : items_) {
        const auto* base = comes_in_chunks(item) ? files.base_of(item.target, item.source.size) : nullptr;
        if (base == nullptr) continue;
        const auto found = root->stat_entry(base->path);
        if (!found || !S_ISREG(found->st_mode) || disk::stamp_of(*found) != stamps.at(base->path)) continue;
        item.base = std::make_shared<const PullBase>(PullBase{box_path(base->path), base->path, base->root});
        ++report_.based_files;
    }
    return ok();
}

// Nobody should fetch for an hour what lies on the next shelf.
Status Pull::tell_elsewhere() {
    std::vector<model::ManifestEntry> fetched;
    for (const std::size_t index : item_files_) {
        if (report_.files[index].entry.path.starts_with(k_run_prefix)) continue;  // small, and wanted everywhere
        fetched.push_back(report_.files[index].entry);
        fetched.back().mtime = wall_of(selection_.entries[index].mtime_ns);
    }
    TRY_ASSIGN(report_.elsewhere, copies_elsewhere(deps_.ledger, run_.id, report_.directory, fetched));
    for (const ElsewhereCopy& copy : report_.elsewhere)
        op_.warn("a proven copy of " + counted(copy.files, "file") + ", " + human_bytes(copy.bytes) + ", of " +
                 run_.spec.name + " lies in " + printable(copy.directory) + " already; this pull " +
                 (deps_.dry_run ? "would make" : "makes") + " another in " + printable(report_.directory));
    return ok();
}

// Of each file that is to land under a name that is taken: whose is what lies there now.
Status Pull::find_owners(const std::map<std::string, plan::LocalFile>& local) {
    if (present_.empty()) return ok();
    TRY_ASSIGN(const disk::Root root, disk::Root::open(report_.directory));
    for (const PullItem& item : items_) {
        TRY(op_.check());
        const auto taken = present_.find(item.target);
        if (taken == present_.end() || S_ISDIR(taken->second.st_mode)) continue;
        const auto read = local.find(item.target);
        const auto digest = read == local.end() ? std::nullopt : read->second.root;
        TRY_ASSIGN(const Whose whose,
                   whose_is(op_, deps_.ledger, run_.id, notes_, {root, item.target, taken->second, digest}));
        if (whose == Whose::ours) {
            ours_[item.target] = disk::stamp_of(taken->second);
        } else if (whose == Whose::another_run || !own_directory_) {
            in_the_way_.push_back(item.target);
        } else if (deps_.dry_run) {
            report_.moved_aside.push_back({item.target, disk::aside_path(root, item.target, will_land())});
        }
    }
    return ok();
}

// The names of this pull, for as long as it lives.
disk::NameTaken Pull::will_land() const {
    auto names = std::make_shared<std::set<std::string_view>>();
    for (const PulledFile& file : report_.files)
        names->insert(file.entry.path);
    return [names](std::string_view path) { return names->contains(path); };
}

// A directory that a pull of this run worked in may be filled again, also where nothing was certified then. A
// private directory is left by one that was interrupted.
Status Pull::find_own() {
    TRY_ASSIGN(const bool ours, deps_.ledger.received_into(run_.id, report_.directory));
    const std::string left = report_.directory + "/.drawhitch/" + landing_id();
    own_directory_ = ours || ::access(left.c_str(), F_OK) == 0;
    if (own_directory_) return ok();
    TRY_ASSIGN(const auto held, deps_.ledger.held_files(run_.id));
    const auto first = held.lower_bound(report_.directory + "/");
    own_directory_ = first != held.end() && first->first.starts_with(report_.directory + "/");
    return ok();
}

Error Pull::refuse_to_overwrite() const {
    const std::string others =
        in_the_way_.size() == 1 ? "" : " and " + std::to_string(in_the_way_.size() - 1) + " more";
    return Error{Code::exists, printable(report_.directory) +
                                   " has files that no pull of this run made and that differ: " +
                                   printable(in_the_way_.front()) + others + "; nothing was changed"}
        .then("drawhitch pull " + word_of(lease_) + " " + run_.spec.name + " --to " +
              shell_word(report_.directory + "-2"));
}

Status Pull::refuse_collisions(const parse::NameRules& rules) const {
    std::vector<std::string> paths;
    for (const proto::FileEntry& entry : selection_.entries)
        paths.push_back(entry.path);
    paths.insert(paths.end(),
                 {std::string{plan::k_manifest_name}, std::string{plan::k_sums_name}, proto::k_private_dir});
    return check_names(paths, rules, report_.directory);
}

// The destination's own rules, unless the user said which count.
Result<parse::NameRules> Pull::name_rules(const disk::Root& root) const {
    if (options_.names) return *options_.names;
    TRY_ASSIGN(const disk::NameBehaviour found, disk::probe_names(root));
    return parse::NameRules{found.ignores_case, found.ignores_unicode_form};
}

// What an interrupted pull left here of the files that are to come.
void Pull::count_held() {
    const auto root = disk::Root::open(report_.directory);
    if (!root) return;
    for (const PullItem& item : items_)
        report_.held_bytes += disk::Landing::held_of(*root, landing_id(), item.target, part_plan(item));
    report_.held_bytes = std::min(report_.held_bytes, report_.planned_bytes);
}

// Before the first byte is fetched: how much, how long, what for. What takes no time is not announced.
Status Pull::estimate() {
    count_held();
    const WallTime now = op_.clock.wall();
    TRY_ASSIGN(auto past, deps_.ledger.samples(lease_.id, k_rate_series, {now.seconds - k_rates_for_seconds, 0}));
    past.erase(past.begin(), past.end() - static_cast<std::ptrdiff_t>(std::min(past.size(), k_rates)));
    std::vector<double> rates;
    for (const ledger::Sample& sample : past)
        rates.push_back(sample.value);
    plan::PullPrices prices{.egress_gb = {}, .price_hour = lease_.price_hour, .currency = lease_.currency, .limit = {}};
    if (const auto limit = bandwidth_of(deps_)) prices.limit = static_cast<double>(*limit);
    const auto profile = config::load_profile(lease_.profile_toml, lease_.profile, "");
    if (profile.ok() && profile.value.meter.egress_gb >= 0) prices.egress_gb = profile.value.meter.egress_gb;
    report_.cost = plan::pull_cost(report_.planned_bytes - report_.held_bytes, rates, prices);
    if (!deps_.dry_run && report_.cost.bytes >= k_least_announced)
        op_.note("to fetch: " + plan::cost_line(report_.cost));
    return ok();
}

Status Pull::note_rate(Instant began) {
    const double seconds = std::chrono::duration<double>(op_.clock.now() - began).count();
    if (report_.tally.fetched < k_least_rated || seconds <= 0) return ok();
    const ledger::Sample sample{op_.clock.wall(), static_cast<double>(report_.tally.fetched) / seconds};
    return deps_.ledger.add_samples(lease_.id, k_rate_series, {&sample, 1});
}

Result<PullReport> Pull::show_plan() {
    if (options_.names) TRY(refuse_collisions(*options_.names));
    TRY(compare());
    TRY(tell_elsewhere());
    for (const std::size_t index : item_files_) {
        report_.files[index].planned = true;
    }
    TRY(estimate());
    report_.planned_bytes -= report_.held_bytes;
    return std::move(report_);
}

}  // namespace drawhitch::flow
