#include "flow/release.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/proto/path.hpp"
#include "flow/release_look.hpp"
#include "flow/transfer/push_files.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::string_view k_staging = "releases/.staging";
static_assert(k_staging.ends_with(k_staging_name));
// A request is one control frame of at most 1 MiB; fewer of them are fewer round trips.
constexpr std::size_t k_changes_per_request = 8000;
constexpr std::size_t k_change_bytes = 768U << 10U;
constexpr std::uint64_t k_spare_bytes = 16U << 20U;
constexpr std::uint64_t k_spare_inodes = 64;

std::string staged(std::string_view path) {
    return std::string{k_staging} + "/" + std::string{path};
}

proto::Change removal(std::string path) {
    return {proto::ChangeKind::remove, std::move(path), {}, 0, proto::k_change_recursive | proto::k_change_missing_ok};
}

}  // namespace

Status ReleaseBuilder::build(Link& link, std::string_view current, PushReport& report) {
    TRY(plan_with(link, current, links_worked_));
    TRY(check_room(link));
    Status arranged = arrange(link);
    if (!arranged && links_worked_ && arranged.error().code == Code::remote_failed) {
        // Links between files do not work on this tier: send what would have been linked.
        links_worked_ = false;
        TRY(plan_with(link, current, false));
        TRY(arrange(link));
    } else if (!arranged) {
        return arranged;
    }
    TRY(send(link, report));
    report.linked_files = plan_.links.size();
    TRY_ASSIGN(const auto there, link.agent->tree_hash(op_, {link.root, std::string{k_staging}, false}));
    if (there.digest != tree_.hash) {
        return Error{Code::integrity, "the tree on the box differs from the one here; the release in force stays"}
            .because("the box says " + there.digest.hex().substr(0, 16) + "…, here it is " +
                     tree_.hash.hex().substr(0, 16) + "…");
    }
    return put_in_force(link);
}

// What lies in the staging directory and in the current release, in one scan; then what is to be done.
Status ReleaseBuilder::plan_with(Link& link, std::string_view current, bool hard_links) {
    std::vector<proto::FileEntry> in_staging;
    std::vector<proto::FileEntry> earlier;
    proto::Scan scan{};
    scan.root = link.root;
    scan.digests = true;
    scan.subtrees = {std::string{k_staging}};
    if (!current.empty()) scan.subtrees.push_back(release_path(current));
    const auto scanned = link.agent->scan(op_, scan, [&](proto::FileEntry&& entry) -> Status {
        if (!proto::is_within(entry.path, k_staging)) {
            earlier.push_back(std::move(entry));
        } else if (entry.path != k_staging) {
            entry.path.erase(0, k_staging.size() + 1);
            in_staging.push_back(std::move(entry));
        }
        return ok();
    });
    if (!scanned && scanned.error().code != Code::not_found) return scanned.error();
    plan_ = plan::plan_push(tree_.entries, in_staging, earlier, hard_links);
    return ok();
}

Status ReleaseBuilder::check_room(Link& link) {
    TRY_ASSIGN(const proto::Space space, link.agent->statvfs(op_, link.root));
    if (space.read_only) return Error{Code::read_only, "the box's project directory is read-only; nothing was sent"};
    const std::uint64_t need = plan_.send_bytes + k_spare_bytes;
    if (space.bytes_free < need) {
        return Error{Code::no_space, "the box has " + human_bytes(space.bytes_free) + " free and " + human_bytes(need) +
                                         " are needed; nothing was sent"}
            .then("drawhitch doctor");
    }
    const std::uint64_t inodes = tree_.entries.size() + k_spare_inodes;
    if (space.inodes_total != 0 && space.inodes_free < inodes) {
        return Error{Code::no_inodes, "the box has " + std::to_string(space.inodes_free) + " inodes free and " +
                                          std::to_string(inodes) + " are needed; nothing was sent"}
            .because("bytes are not the trouble: many small files use up the inodes first")
            .then("drawhitch doctor");
    }
    return ok();
}

// Everything but file contents.
Status ReleaseBuilder::arrange(Link& link) {
    std::vector<proto::Change> changes;
    for (const std::string& path : plan_.remove) {
        changes.push_back(removal(staged(path)));
    }
    const std::uint8_t make = proto::k_change_parents | proto::k_change_exist_ok;
    changes.push_back({proto::ChangeKind::make_directory, std::string{k_staging}, {}, 0755, make});
    for (const std::string& path : plan_.directories) {
        changes.push_back({proto::ChangeKind::make_directory, staged(path), {}, 0755, make});
    }
    for (const plan::PushPlan::Link& same : plan_.links) {
        changes.push_back({proto::ChangeKind::hard_link, staged(same.path), same.from, 0, proto::k_change_parents});
    }
    for (const plan::PushPlan::Symlink& symlink : plan_.symlinks) {
        changes.push_back(
            {proto::ChangeKind::make_symlink, staged(symlink.path), symlink.target, 0, proto::k_change_parents});
    }
    return apply(link, std::move(changes), false);
}

Status ReleaseBuilder::apply(Link& link, std::vector<proto::Change> changes, bool keep_going) {
    for (std::size_t at = 0; at < changes.size();) {
        std::vector<proto::Change> some;
        for (std::size_t bytes = 0;
             at < changes.size() && some.size() < k_changes_per_request && bytes < k_change_bytes; ++at) {
            bytes += changes[at].path.size() + changes[at].other.size() + 32;
            some.push_back(std::move(changes[at]));
        }
        const auto sent = some;
        TRY_ASSIGN(const proto::Applied applied, link.agent->apply(op_, *link.claim, std::move(some), keep_going));
        if (applied.failures.empty() || keep_going) continue;
        const proto::ItemFailure& failure = applied.failures.front();
        proto::Refusal refusal{};
        refusal.reason = failure.reason;
        refusal.error = failure.error;
        refusal.path = failure.index < sent.size() ? sent[failure.index].path : std::string{};
        return proto::to_error(refusal, "build the release");
    }
    return ok();
}

Status ReleaseBuilder::send(Link& link, PushReport& report) {
    if (plan_.send.empty()) return ok();
    const auto items = push_items(tree_, plan_.send, std::string{k_staging} + "/");
    const ReadPiece read = [this](const std::string& path, std::uint64_t offset, std::size_t size) {
        return source_.read(path, offset, size);
    };
    PushOutcome outcome = push_files(op_, {connections_.dial, std::move(link)}, connections_.fence, read, items,
                                     PushLimits{.connections = connections_.most});
    add(report.wire, outcome.tally.wire);
    gave_up_ = outcome.stopped.has_value();
    if (outcome.stopped) return *outcome.stopped;
    link = std::move(*outcome.link);
    if (!outcome.changed.empty()) {
        return Error{Code::changed, printable(outcome.changed.front()) + " changed while it was pushed"};
    }
    report.sent_files += items.size();
    report.sent_bytes += plan_.send_bytes;
    return ok();
}

Status ReleaseBuilder::put_in_force(Link& link) {
    const std::string release = release_path(tree_.hash.hex());
    TRY(link.agent->sync(op_, link.root));
    // A directory of that name, if there is one, was found to differ from what its name says: somebody's files may be
    // in it. Whether it may go is judged when nobody reaches it under its name any more.
    const std::string aside = release_path(name_for_kept(tree_.hash.hex()));
    TRY_ASSIGN(const auto before, link.agent->stat(op_, link.root, {release}));
    const bool there = !before.empty() && before.front().error == 0;
    std::vector<proto::Change> changes;
    if (there) changes.push_back({proto::ChangeKind::rename, aside, release, 0, 0});
    changes.push_back({proto::ChangeKind::rename, release, std::string{k_staging}, 0, 0});
    TRY(apply(link, std::move(changes), false));
    if (there) op_.note("release " + tree_.hash.hex().substr(0, 12) + " had been changed on the box");
    return make_current(op_, link, tree_.hash);
}

Status make_current(const Op& op, Link& link, const proto::Digest& hash) {
    proto::WriteSmall request{};
    request.path = k_current;
    request.content = hash.hex() + "\n";
    TRY(link.agent->write_small(op, *link.claim, std::move(request)));
    // For people; nothing of ours reads it, so a tier without links loses nothing.
    const std::string fresh = std::string{k_latest} + ".new";
    TRY(link.agent->apply(op, *link.claim,
                          {{proto::ChangeKind::remove, fresh, {}, 0, proto::k_change_missing_ok},
                           {proto::ChangeKind::make_symlink, fresh, release_path(hash.hex()), 0, 0},
                           {proto::ChangeKind::rename, std::string{k_latest}, fresh, 0, 0}},
                          true));
    return ok();
}

}  // namespace drawhitch::flow
