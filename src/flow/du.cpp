#include "flow/du.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <set>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/config/load_profile.hpp"
#include "core/judge/box_path.hpp"
#include "core/parse/usage_places.hpp"
#include "core/plan/usage_script.hpp"
#include "flow/cp_places.hpp"
#include "flow/down/roots.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::size_t k_most_missed = 100;
constexpr std::size_t k_longest_answer = 8U << 20U;

// Where tools fill disks unseen; often a link to another mount.
constexpr std::array<const char*, 7> k_caches{
    "~/.cache", "~/.cache/huggingface", "~/.cache/torch", "~/.cache/pip", "~/.cache/conda", "~/.cache/uv", "~/.conda"};

enum class Asked { typed, usual, cache, tier };

struct AskedPath {
    std::string path{};
    Asked kind{Asked::usual};
    const model::Storage* storage{nullptr};  // of a tier
    std::string real{};
    bool missing{false};
};

struct DuPlace {
    std::string real{};
    std::string asked{};
};

DuTier tier_words(const model::Storage* storage) {
    if (storage == nullptr) return {};
    return {storage->name, model::survives(*storage, model::Downtime::stop),
            model::survives(*storage, model::Downtime::terminate)};
}

// Errors of one place, as opposed to those of the connection.
bool ends_one_place(const Error& error) {
    return error.code == Code::permission || error.code == Code::unsafe_path || error.code == Code::local_io ||
           error.code == Code::not_found || error.code == Code::remote_failed;
}

class DiskUse {
  public:
    DiskUse(Deps& deps, const model::Lease& lease, const DuOptions& options)
        : options_(options),
          lease_(lease),
          roots_(deps, lease),
          profile_(config::load_profile(lease.profile_toml, lease.profile, "").value) {}

    Result<DuReport> run(const Op& op) {
        TRY(roots_.connect(op));
        TRY(ask());
        TRY(resolve(op));
        TRY(choose());
        while (!places_.empty()) {
            const DuPlace place = std::move(places_.front());
            places_.pop_front();
            TRY(look(op, place));
        }
        TRY(tell_mounts(op));
        return std::move(report_);
    }

  private:
    Status ask() {
        const std::string home = roots_.agent().hello().home;
        for (const std::string& path : options_.paths) {
            TRY_ASSIGN(const std::string absolute, absolute_on_box(path, home));
            asked_.push_back({.path = judge::clean_box_path(absolute), .kind = Asked::typed});
        }
        if (options_.paths.empty()) {
            if (!lease_.root.empty()) asked_.push_back({.path = lease_.root});
            asked_.push_back({.path = "~"});
        }
        for (const model::Storage& storage : profile_.storage)
            if (!storage.path.empty())
                asked_.push_back({.path = storage.path, .kind = Asked::tier, .storage = &storage});
        for (const char* cache : k_caches)
            if (options_.paths.empty()) asked_.push_back({.path = cache, .kind = Asked::cache});
        return ok();
    }

    Status resolve(const Op& op) {
        std::vector<std::string> paths;
        for (const AskedPath& asked : asked_)
            paths.push_back(asked.path);
        const std::string nonce = random_hex(8);
        TRY_ASSIGN(const transport::ScriptResult answer,
                   transport::run_script(op, roots_.transport(), plan::usage_script(nonce, paths), {},
                                         {.out_bytes = k_longest_answer}));
        parse::UsagePlaces found = parse::usage_places(answer.out, nonce, asked_.size());
        if (!found.complete) {
            return Error{Code::remote_failed, "the box could not say what is mounted on it"}.because(
                answer.err.empty() ? "its shell ended with " + std::to_string(answer.exit.code)
                                   : printable(trim(answer.err)));
        }
        mounts_ = std::move(found.mounts);
        for (std::size_t i = 0; i < asked_.size(); ++i) {
            asked_[i].real = judge::clean_box_path(found.places[i].real);
            asked_[i].missing = found.places[i].missing;
            if (asked_[i].storage != nullptr && !asked_[i].real.empty())
                tiers_.push_back({asked_[i].storage, asked_[i].real});
        }
        return ok();
    }

    Status choose() {
        std::size_t typed_there = 0;
        for (const AskedPath& asked : asked_) {
            if (asked.kind != Asked::typed) continue;
            if (!asked.real.empty()) ++typed_there;
            if (asked.real.empty()) miss(asked.path, asked.missing ? "is not there" : "may not be entered");
        }
        if (!options_.paths.empty() && typed_there == 0) {
            const bool missing = std::ranges::all_of(
                asked_, [](const AskedPath& asked) { return asked.kind != Asked::typed || asked.missing; });
            return Error{missing ? Code::not_found : Code::permission,
                         "nothing to look at: " + printable(report_.missed.front().path) + " " +
                             report_.missed.front().why + " on " + lease_.name}
                .then("drawhitch du " + shell_word(lease_.name));
        }
        for (const AskedPath& asked : asked_) {
            // A tier that is the whole machine is told as a mount; what it holds only to who asks for "/".
            const bool too_much = asked.kind != Asked::typed && asked.real == "/";
            const bool only_told = asked.kind == Asked::tier && !options_.paths.empty();
            if (!asked.real.empty() && !too_much && !only_told) add_place(asked);
        }
        nest();
        return ok();
    }

    void add_place(const AskedPath& asked) {
        const bool known = std::ranges::any_of(places_, [&](const DuPlace& place) { return place.real == asked.real; });
        // A cache inside of what is looked at anyway is a directory like others.
        const bool inside = asked.kind == Asked::cache && std::ranges::any_of(places_, [&](const DuPlace& place) {
                                return judge::is_inside(asked.real, place.real) &&
                                       judge::mount_of(mounts_, asked.real) == judge::mount_of(mounts_, place.real);
                            });
        if (!known && !inside) places_.push_back({asked.real, asked.path == asked.real ? "" : asked.path});
    }

    // A place inside of another on the same mount is a row of that one: nothing is read twice.
    void nest() {
        std::deque<DuPlace> outer;
        for (const DuPlace& place : places_) {
            const bool inside = std::ranges::any_of(places_, [&](const DuPlace& other) {
                return other.real != place.real && judge::is_inside(place.real, other.real) &&
                       judge::mount_of(mounts_, place.real) == judge::mount_of(mounts_, other.real);
            });
            (inside ? nested_ : outer).push_back(place);
        }
        places_ = std::move(outer);
    }

    void miss(const std::string& path, std::string why) {
        ++report_.missed_count;
        if (report_.missed.size() < k_most_missed) report_.missed.push_back({path, std::move(why)});
    }

    Status look(const Op& op, const DuPlace& place) {
        if (!walked_.insert(place.real).second) return ok();
        const Status looked = walk(op, place);
        if (looked || !ends_one_place(looked.error())) return looked;
        miss(place.real, looked.error().message);
        return ok();
    }

    Status walk(const Op& op, const DuPlace& place) {
        TRY(op.check());
        // Named in its parent, a directory tells itself as well, and what it keeps for us is no secret.
        const std::string parent{judge::parent_of(place.real)};
        const std::string name{judge::base_of(place.real)};
        TRY_ASSIGN(const proto::RootId root, roots_.open(op, parent));
        proto::Scan scan{};
        scan.root = root;
        if (!name.empty()) scan.subtrees = {name};
        const auto below = [&](const std::string& path) {
            return path.substr(place.real == "/" ? 1 : place.real.size() + 1);
        };
        for (const std::string& mount : mounts_inside(place.real))
            scan.skip.push_back(joined_path(name, below(mount)));
        judge::UsageTally::Options sums{.depth = options_.depth, .top = options_.top};
        for (const DuPlace& one : nested_)
            if (judge::is_inside(one.real, place.real)) sums.always.push_back(below(one.real));
        judge::UsageTally tally{std::move(sums)};
        const auto end = roots_.agent().scan(op, scan, [&](proto::FileEntry&& entry) {
            take(place, name.empty() ? entry.path : path_below(entry.path, name), entry, tally);
            return op.check();
        });
        if (!end) return end.error();
        tell(place, tally.finish());
        return ok();
    }

    // Each is a place of its own, once: a file system mounted twice is not counted twice.
    std::vector<std::string> mounts_inside(const std::string& place) {
        std::vector<std::string> inside;
        note_walked(place);
        for (const model::Mount& mount : mounts_) {
            if (mount.point == place || !judge::is_inside(mount.point, place)) continue;
            if (std::ranges::find(inside, mount.point) != inside.end()) continue;
            inside.push_back(mount.point);
            const model::Mount* seen = judge::mount_of(mounts_, mount.point);
            if (!judge::holds_files(*seen)) continue;
            const auto [first, anew] = shown_.try_emplace({seen->device, seen->root}, seen->point);
            if (anew || first->second == seen->point) {
                places_.push_back({mount.point, {}});
            } else {
                report_.notes.push_back(printable(mount.point) + " shows the same files as " +
                                        printable(first->second) + ": counted once");
            }
        }
        return inside;
    }

    void note_walked(const std::string& place) {
        const model::Mount* mount = judge::mount_of(mounts_, place);
        if (mount != nullptr && mount->point == place) shown_.try_emplace({mount->device, mount->root}, place);
    }

    void take(const DuPlace& place, std::string path, const proto::FileEntry& entry, judge::UsageTally& tally) {
        if (entry.error == proto::k_linux_enoent) return;  // gone since it was listed
        const std::string whole = path.empty() ? place.real : joined_path(place.real, path);
        const bool directory = entry.type == proto::FileType::directory;
        if (directory && entry.mount_point && entry.error == 0) {
            places_.push_back({whole, {}});  // mounted since we asked, or by itself
            return;
        }
        if (entry.error != 0) miss(whole, std::strerror(entry.error));
        judge::UsedEntry used{};
        used.path = std::move(path);
        used.allocated = entry.allocated;
        used.apparent = entry.size;
        used.dev = entry.dev;
        used.ino = entry.ino;
        used.links = entry.nlink;
        used.directory = directory;
        used.unreadable = entry.error != 0;
        tally.add(used);
    }

    DuRow row_of(const std::string& real, const judge::Usage& usage) {
        DuRow row{};
        row.path = real;
        if (const model::Mount* mount = judge::mount_of(mounts_, real)) row.mount = mount->point;
        row.tier = tier_words(judge::tier_of(tiers_, real));
        row.usage = usage;
        used_mounts_.insert(row.mount.empty() ? real : row.mount);
        return row;
    }

    void tell(const DuPlace& place, judge::UsageTally::Sums sums) {
        DuRow whole = row_of(place.real, sums.whole);
        whole.asked = place.asked;
        whole.place = true;
        report_.rows.push_back(std::move(whole));
        for (const judge::UsageRow& one : sums.always) {
            DuRow row = row_of(joined_path(place.real, one.path), one.usage);
            for (const DuPlace& nested : nested_)
                if (nested.real == row.path) row.asked = nested.asked;
            row.place = true;
            report_.rows.push_back(std::move(row));
        }
        for (const judge::UsageRow& one : sums.largest)
            report_.rows.push_back(row_of(joined_path(place.real, one.path), one.usage));
        report_.left_out += sums.left_out;
    }

    Status tell_mounts(const Op& op) {
        for (const judge::TierPlace& tier : tiers_)
            if (const model::Mount* mount = judge::mount_of(mounts_, tier.real)) used_mounts_.insert(mount->point);
        for (const std::string& point : used_mounts_) {
            DuMount told{};
            told.point = point;
            const model::Mount* mount = judge::mount_of(mounts_, point);
            if (mount != nullptr && mount->point == point) {
                told.type = mount->type;
                told.source = mount->source;
            }
            told.tier = tier_of_mount(point);
            TRY(measure(op, told));
            report_.mounts.push_back(std::move(told));
        }
        return ok();
    }

    DuTier tier_of_mount(const std::string& point) const {
        std::vector<std::string> names;
        DuTier all{};
        for (const judge::TierPlace& tier : tiers_) {
            const model::Mount* mount = judge::mount_of(mounts_, tier.real);
            if (mount == nullptr || mount->point != point) continue;
            const DuTier one = tier_words(tier.storage);
            if (names.empty()) all = one;
            if (all.survives_stop != one.survives_stop) all.survives_stop.reset();
            if (all.survives_down != one.survives_down) all.survives_down.reset();
            names.push_back(one.name);
        }
        if (names.empty()) return tier_words(judge::tier_of(tiers_, point));
        all.name = join(names, ", ");
        return all;
    }

    Status measure(const Op& op, DuMount& told) {
        const auto root = roots_.open(op, told.point);
        const auto space = root ? roots_.agent().statvfs(op, *root) : Result<proto::Space>{root.error()};
        if (!space) return ends_one_place(space.error()) ? ok() : Status{space.error()};
        told.bytes_total = space->bytes_total;
        told.bytes_free = space->bytes_free;
        if (space->inodes_total == 0) return ok();
        told.inodes_total = space->inodes_total;
        told.inodes_free = space->inodes_free;
        return ok();
    }

    const DuOptions& options_;
    const model::Lease& lease_;
    BoxRoots roots_;
    model::Profile profile_;
    std::vector<AskedPath> asked_{};
    std::vector<judge::TierPlace> tiers_{};
    std::vector<model::Mount> mounts_{};
    std::deque<DuPlace> places_{};  // to be looked at
    std::deque<DuPlace> nested_{};  // inside of those
    std::set<std::string> walked_{};
    std::map<std::pair<std::string, std::string>, std::string> shown_{};  // file system and part of it -> where
    std::set<std::string> used_mounts_{};
    DuReport report_{};
};

}  // namespace

Result<DuReport> du(const Op& op, Deps& deps, const model::Lease& lease, const DuOptions& options) {
    return DiskUse(deps, lease, options).run(op);
}

}  // namespace drawhitch::flow
