#include "io/agent/agent.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/path.hpp"
#include "io/agent/exchange.hpp"

namespace drawhitch::agent {

namespace {

constexpr std::size_t k_leaves_max = 4U << 20U;  // of one file: 4 TiB, 128 MiB of memory

}  // namespace

std::unique_ptr<Agent> Agent::adopt(std::unique_ptr<Session> session) {
    return std::unique_ptr<Agent>(new Agent(std::move(session)));
}

proto::CodecSet Agent::codecs() const {
    return hello().codecs & codec::supported();
}

Result<proto::RootOpened> Agent::open_root(const Op& op, proto::RootId root, std::string_view path, bool create) {
    return call<proto::RootOpened>(op, *session_, proto::OpenRoot{root, std::string(path), create}, "open");
}

Result<proto::RootId> Agent::open_root(const Op& op, std::string_view path, bool create) {
    const proto::RootId root = next_root_;
    TRY(open_root(op, root, path, create));
    ++next_root_;
    return root;
}

Agent::Opening Agent::begin_open(std::string_view path, bool create) {
    return {next_root_, session_->submit(proto::OpenRoot{next_root_, std::string(path), create})};
}

Result<proto::RootId> Agent::opened(const Op& op, const Opening& opening, std::uint32_t next) {
    const auto answer = finish<proto::RootOpened>(op, *session_, opening.number, "open");
    if (!answer) {
        session_->forget(next);
        return answer.error();
    }
    ++next_root_;
    return opening.root;
}

namespace {

constexpr std::string_view k_claiming = "claim the directory";

proto::Claim claim_request(proto::RootId root, const ClaimOptions& options) {
    return {root, options.epoch, options.owner, options.steal, options.note};
}

Claim claim_of(proto::RootId root, const proto::Claimed& got) {
    return {root, got.epoch, got.locking};
}

}  // namespace

Result<Claim> Agent::claim(const Op& op, proto::RootId root, const ClaimOptions& options) {
    TRY_ASSIGN(const auto got, call<proto::Claimed>(op, *session_, claim_request(root, options), k_claiming));
    return claim_of(root, got);
}

Result<Claim> Agent::open_and_claim(const Op& op, std::string_view path, bool create, const ClaimOptions& options) {
    const Opening opening = begin_open(path, create);
    TRY_ASSIGN(const std::uint32_t number, submit(*session_, claim_request(opening.root, options)));
    TRY(opened(op, opening, number));
    TRY_ASSIGN(const auto got, finish<proto::Claimed>(op, *session_, number, k_claiming));
    return claim_of(opening.root, got);
}

Result<proto::RootProbed> Agent::probe_root(const Op& op, const Claim& claim) {
    return call<proto::RootProbed>(op, *session_, proto::ProbeRoot{claim.root, claim.epoch}, "try out the file system");
}

Result<proto::Space> Agent::statvfs(const Op& op, proto::RootId root, std::string_view path) {
    return call<proto::Space>(op, *session_, proto::StatVfs{root, std::string(path)}, "measure free space");
}

namespace {

constexpr std::string_view k_looking = "look at files";

// As many of the paths as go into one request, from `at`.
proto::Stat part_of_stat(proto::RootId root, const std::vector<std::string>& paths, std::size_t at) {
    const std::size_t count =
        part_of_list(paths, at, [](const std::string& path) { return path.size() + sizeof(std::uint32_t); });
    const auto first = paths.begin() + static_cast<std::ptrdiff_t>(at);
    return {root, {first, first + static_cast<std::ptrdiff_t>(count)}};
}

Status take_entries(std::vector<proto::FileEntry>& all, const proto::Stat& request, proto::Entries got) {
    bool matching = got.entries.size() == request.paths.size();
    for (std::size_t i = 0; matching && i < request.paths.size(); ++i)
        matching = got.entries[i].path == request.paths[i];
    if (!matching) return Error{Code::protocol, Retry::reconnect, "the helper answers for other files"};
    std::move(got.entries.begin(), got.entries.end(), std::back_inserter(all));
    return ok();
}

}  // namespace

Result<std::vector<proto::FileEntry>> Agent::stat(const Op& op, proto::RootId root, std::vector<std::string> paths) {
    std::vector<proto::FileEntry> all;
    all.reserve(paths.size());
    while (all.size() < paths.size()) {
        const proto::Stat request = part_of_stat(root, paths, all.size());
        TRY_ASSIGN(proto::Entries got, call<proto::Entries>(op, *session_, request, k_looking));
        TRY(take_entries(all, request, std::move(got)));
    }
    return all;
}

Result<Agent::Found> Agent::open_and_stat(const Op& op, std::string_view path, std::vector<std::string> paths) {
    const Opening opening = begin_open(path, false);
    const proto::Stat request = part_of_stat(opening.root, paths, 0);
    TRY_ASSIGN(const std::uint32_t number, submit(*session_, request));
    Found found;
    TRY_ASSIGN(found.root, opened(op, opening, number));
    TRY_ASSIGN(proto::Entries got, finish<proto::Entries>(op, *session_, number, k_looking));
    TRY(take_entries(found.entries, request, std::move(got)));
    if (found.entries.size() == paths.size()) return found;
    paths.erase(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(found.entries.size()));
    TRY_ASSIGN(auto rest, stat(op, found.root, std::move(paths)));
    std::move(rest.begin(), rest.end(), std::back_inserter(found.entries));
    return found;
}

Result<HashResult> Agent::hash(const Op& op, const proto::Hash& request, const ProgressSink& progress) {
    TRY_ASSIGN(const std::uint32_t number, submit(*session_, request));
    HashResult result;
    for (;;) {
        TRY_ASSIGN(const Incoming frame, next_frame(op, *session_, number, "hash", progress));
        if (frame.type == proto::MessageType::hashed) {
            TRY_ASSIGN(proto::Hashed hashed, proto::decode<proto::Hashed>(frame.payload));
            result.entry = std::move(hashed.entry);
            return result;
        }
        if (frame.type != proto::MessageType::leaves) return unexpected(frame, "hash");
        TRY_ASSIGN(const proto::Leaves page, proto::decode<proto::Leaves>(frame.payload));
        const bool in_order = request.leaves && page.first == request.first + result.leaves.size();
        if (!in_order || result.leaves.size() + page.leaves.size() > k_leaves_max) return unexpected(frame, "hash");
        result.leaves.insert(result.leaves.end(), page.leaves.begin(), page.leaves.end());
    }
}

Result<proto::TreeHashed> Agent::tree_hash(const Op& op, const proto::TreeHash& request, const ProgressSink& progress) {
    return call<proto::TreeHashed>(op, *session_, request, "hash the tree", progress);
}

Result<proto::Small> Agent::read_small(const Op& op, proto::RootId root, std::string_view path, std::uint64_t offset,
                                       std::uint32_t max) {
    const proto::ReadSmall request{root, std::string(path), offset, max};
    TRY_ASSIGN(proto::Small got, call<proto::Small>(op, *session_, request, "read"));
    if (got.content.size() > max)
        return Error{Code::protocol, Retry::reconnect, "the helper sends more than asked for"};
    return got;
}

Result<proto::WritersFound> Agent::writers(const Op& op, proto::RootId root, std::string_view path) {
    return call<proto::WritersFound>(op, *session_, proto::Writers{root, std::string(path)}, "look for open files");
}

namespace {

// Rows as they come from a box that may be hostile: safe paths, strictly rising, within what was asked for.
class ScanReader {
  public:
    ScanReader(const proto::Scan& request, const EntrySink& sink) : request_(request), sink_(sink) {}

    Status take(codec::Codec& codec, const std::string& payload) {
        TRY_ASSIGN(const proto::ScanPage page, proto::decode<proto::ScanPage>(payload));
        TRY_ASSIGN(const std::string raw, codec.decode(page.codec, page.bytes, page.raw_size));
        TRY_ASSIGN(proto::Entries rows, proto::decode<proto::Entries>(raw));
        for (proto::FileEntry& entry : rows.entries) {
            TRY(check(entry));
            last_ = entry.path;
            ++count_;
            TRY(sink_(std::move(entry)));
        }
        return ok();
    }

    [[nodiscard]] std::uint64_t count() const { return count_; }

  private:
    Status check(const proto::FileEntry& entry) const {
        // Only the root itself, when it cannot be listed, has no path; too long a path is reported, never used.
        const bool named = proto::is_safe_path(entry.path) || entry.error != 0;
        const bool rising = count_ == 0 || proto::scan_less(last_, entry.path);
        const bool fits = request_.max_entries == 0 || count_ < request_.max_entries;
        if (named && rising && fits) return ok();
        return Error{Code::protocol, Retry::reconnect,
                     "the helper lists files that cannot be: " + printable(entry.path)};
    }

    const proto::Scan& request_;
    const EntrySink& sink_;
    std::string last_{};
    std::uint64_t count_{0};
};

}  // namespace

Result<proto::ScanEnd> Agent::scan(const Op& op, const proto::Scan& request, const EntrySink& sink) {
    TRY_ASSIGN(const std::uint32_t number, submit(*session_, request));
    return read_scan(op, number, request, sink);
}

Result<proto::RootId> Agent::open_and_scan(const Op& op, std::string_view path, proto::Scan request,
                                           const EntrySink& sink) {
    const Opening opening = begin_open(path, false);
    request.root = opening.root;
    TRY_ASSIGN(const std::uint32_t number, submit(*session_, request));
    TRY(opened(op, opening, number));
    TRY(read_scan(op, number, request, sink));
    return opening.root;
}

Result<proto::ScanEnd> Agent::read_scan(const Op& op, std::uint32_t number, const proto::Scan& request,
                                        const EntrySink& sink) {
    ScanReader reader(request, sink);
    for (;;) {
        TRY_ASSIGN(const Incoming frame, next_frame(op, *session_, number, "list files"));
        if (frame.type == proto::MessageType::scan_end) {
            TRY_ASSIGN(const proto::ScanEnd end, proto::decode<proto::ScanEnd>(frame.payload));
            if (end.entries != reader.count()) return Error{Code::protocol, "a list of files is incomplete"};
            return end;
        }
        if (frame.type != proto::MessageType::scan_page) return unexpected(frame, "list files");
        if (auto taken = reader.take(codec_, frame.payload); !taken) {
            session_->cancel(number);
            return std::move(taken).error();
        }
    }
}

}  // namespace drawhitch::agent
