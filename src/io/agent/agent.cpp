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

Result<Claim> Agent::claim(const Op& op, proto::RootId root, const ClaimOptions& options) {
    const proto::Claim request{root, options.epoch, options.owner, options.steal, options.note};
    TRY_ASSIGN(const proto::Claimed got, call<proto::Claimed>(op, *session_, request, "claim the directory"));
    return Claim{root, got.epoch, got.locking};
}

Result<proto::RootProbed> Agent::probe_root(const Op& op, const Claim& claim) {
    return call<proto::RootProbed>(op, *session_, proto::ProbeRoot{claim.root, claim.epoch}, "try out the file system");
}

Result<proto::Space> Agent::statvfs(const Op& op, proto::RootId root, std::string_view path) {
    return call<proto::Space>(op, *session_, proto::StatVfs{root, std::string(path)}, "measure free space");
}

Result<std::vector<proto::FileEntry>> Agent::stat(const Op& op, proto::RootId root, std::vector<std::string> paths) {
    std::vector<proto::FileEntry> all;
    all.reserve(paths.size());
    while (all.size() < paths.size()) {
        const std::size_t count = part_of_list(
            paths, all.size(), [](const std::string& path) { return path.size() + sizeof(std::uint32_t); });
        const auto first = paths.begin() + static_cast<std::ptrdiff_t>(all.size());
        const proto::Stat request{root, {first, first + static_cast<std::ptrdiff_t>(count)}};
        TRY_ASSIGN(proto::Entries got, call<proto::Entries>(op, *session_, request, "look at files"));
        bool matching = got.entries.size() == count;
        for (std::size_t i = 0; matching && i < count; ++i)
            matching = got.entries[i].path == request.paths[i];
        if (!matching) return Error{Code::protocol, Retry::reconnect, "the helper answers for other files"};
        std::move(got.entries.begin(), got.entries.end(), std::back_inserter(all));
    }
    return all;
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
