// Agent's calls that change the box.
#include <algorithm>
#include <map>
#include <utility>

#include "core/proto/limits.hpp"
#include "io/agent/agent.hpp"
#include "io/agent/exchange.hpp"

namespace drawhitch::agent {

namespace {

constexpr int k_attempts = 3;  // for bytes that did not arrive as they were sent

Error not_verified() {
    return Error{Code::integrity, "the box could not verify what was sent, three times in a row"};
}

// The acks of one write or write_bundle as they come; `Ack` is what one says.
template <class Ack>
class AckReader {
  public:
    AckReader(Session& session, std::uint32_t request, std::string_view doing)
        : session_(session), request_(request), doing_(doing) {}

    // What has arrived already. A refusal ends the call early, before more is sent.
    Status drain(std::vector<Ack>& acks) {
        while (auto frame = session_.poll()) {
            if (frame->request == request_) TRY(take(*frame, acks));
        }
        return ok();
    }

    // The rest, to the last frame.
    Result<proto::Written> finish(const Op& op, std::vector<Ack>& acks) {
        for (;;) {
            TRY_ASSIGN(const Incoming frame, next_frame(op, session_, request_, doing_));
            if (frame.type == proto::MessageType::written) return proto::decode<proto::Written>(frame.payload);
            TRY(take(frame, acks));
        }
    }

  private:
    Status take(const Incoming& frame, std::vector<Ack>& acks) {
        if (frame.type == proto::MessageType::progress) return ok();
        if (frame.type == proto::MessageType::refused) {
            TRY_ASSIGN(const proto::Refusal refusal, proto::decode<proto::Refusal>(frame.payload));
            return proto::to_error(refusal, doing_);
        }
        if (frame.type != Ack::k_type) return unexpected(frame, doing_);
        TRY_ASSIGN(Ack ack, proto::decode<Ack>(frame.payload));
        acks.push_back(std::move(ack));
        return ok();
    }

    Session& session_;
    std::uint32_t request_{0};
    std::string_view doing_{};
};

std::vector<std::uint32_t> all_chunks(std::uint64_t size) {
    std::vector<std::uint32_t> indexes(static_cast<std::size_t>(proto::leaf_count(size)));
    for (std::size_t i = 0; i < indexes.size(); ++i)
        indexes[i] = static_cast<std::uint32_t>(i);
    return indexes;
}

// The indexes that were not acked as written. An ack for anything that was not sent breaks the protocol.
Result<std::vector<std::uint32_t>> unwritten(std::vector<std::uint32_t> sent,
                                             const std::vector<proto::WriteAck>& acks) {
    std::sort(sent.begin(), sent.end());
    for (const proto::WriteAck& ack : acks) {
        const auto found = std::lower_bound(sent.begin(), sent.end(), ack.chunk);
        if (found == sent.end() || *found != ack.chunk) {
            return Error{Code::protocol, Retry::reconnect, "the helper confirms what was not sent"};
        }
        if (ack.reason == proto::Reason::none) sent.erase(found);
    }
    return sent;
}

}  // namespace

Result<proto::Written> Agent::write(const Op& op, const Claim& claim, const proto::Write& request,
                                    std::span<const std::uint32_t> indexes, const ChunkSource& source) {
    proto::Write message = request;
    message.root = claim.root;
    message.epoch = claim.epoch;
    std::vector<std::uint32_t> left(indexes.begin(), indexes.end());
    if (left.empty()) left = all_chunks(message.size);
    const std::size_t wanted = left.size();
    for (int attempt = 0; attempt < k_attempts; ++attempt) {
        const std::uint32_t number = session_->submit(message);
        AckReader<proto::WriteAck> reader(*session_, number, "write");
        std::vector<proto::WriteAck> acks;
        for (const std::uint32_t index : left) {
            TRY_ASSIGN(std::string raw, source(index));
            if (raw.size() != proto::leaf_size(message.size, index)) {
                session_->cancel(number);
                return Error{Code::changed, Retry::same_connection, "the file changed its size while it was sent"};
            }
            TRY(session_->send_chunk(op, number, codec_.seal_owned(index, std::move(raw), codec::Choice{codecs(), 0})));
            TRY(reader.drain(acks));
        }
        session_->follow_up(number, proto::WriteEnd{});
        TRY(reader.finish(op, acks));
        TRY_ASSIGN(left, unwritten(std::move(left), acks));
        if (left.empty()) return proto::Written{wanted, 0};
        message.fresh = false;
    }
    return not_verified();
}

Result<proto::Committed> Agent::commit(const Op& op, const Claim& claim, proto::Commit request,
                                       const ProgressSink& progress) {
    request.root = claim.root;
    request.epoch = claim.epoch;
    return call<proto::Committed>(op, *session_, request, "put in place", progress);
}

namespace {

// Cuts records into blocks and keeps those that are not confirmed.
class BundleSender {
  public:
    explicit BundleSender(const BundleSource& source) : source_(source) {}

    // The next block to send: one that must be sent again, or a fresh one. Nothing when all were sent.
    Result<std::optional<std::uint32_t>> next() {
        if (!again_.empty()) {
            const std::uint32_t block = again_.back();
            again_.pop_back();
            return std::optional<std::uint32_t>{block};
        }
        std::string raw = std::move(record_);
        record_.clear();
        while (!ended_) {
            TRY_ASSIGN(const auto file, source_());
            if (!file) {
                ended_ = true;
                break;
            }
            if (file->content.size() > proto::k_small_max)
                return Error{Code::internal, "a file too large for a bundle"};
            record_ = proto::encode(*file);
            if (!raw.empty() && raw.size() + record_.size() > proto::k_chunk) break;
            raw += record_;
            record_.clear();
        }
        if (raw.empty()) return std::optional<std::uint32_t>{};
        blocks_.emplace(next_block_, std::move(raw));
        return std::optional<std::uint32_t>{next_block_++};
    }

    const std::string& block(std::uint32_t index) { return blocks_[index]; }

    Status take(const std::vector<proto::BundleAck>& acks, Agent::BundleWritten& result) {
        for (const proto::BundleAck& ack : acks) {
            if (blocks_.count(ack.block) == 0) {
                return Error{Code::protocol, Retry::reconnect, "the helper confirms what was not sent"};
            }
            if (ack.reason == proto::Reason::integrity) {
                failed_.push_back(ack.block);
                continue;
            }
            blocks_.erase(ack.block);
            result.files += ack.files;
            result.failures.insert(result.failures.end(), ack.failures.begin(), ack.failures.end());
        }
        return ok();
    }

    // True if there is something to send again.
    bool retry() {
        again_ = std::move(failed_);
        failed_.clear();
        return !again_.empty();
    }

  private:
    const BundleSource& source_;
    std::map<std::uint32_t, std::string> blocks_{};  // sent and not confirmed
    std::vector<std::uint32_t> failed_{};
    std::vector<std::uint32_t> again_{};
    std::string record_{};  // read from the source, but too large for the last block
    std::uint32_t next_block_{0};
    bool ended_{false};
};

}  // namespace

Result<Agent::BundleWritten> Agent::write_bundle(const Op& op, const Claim& claim, proto::WriteBundle request,
                                                 bool sync, const BundleSource& source) {
    request.root = claim.root;
    request.epoch = claim.epoch;
    BundleSender sender(source);
    BundleWritten result;
    for (int attempt = 0; attempt < k_attempts; ++attempt) {
        const std::uint32_t number = session_->submit(request);
        AckReader<proto::BundleAck> reader(*session_, number, "write small files");
        for (;;) {
            TRY_ASSIGN(const auto block, sender.next());
            if (!block) break;
            const codec::Choice choice{codecs(), 0};
            TRY(session_->send_chunk(op, number, codec_.seal(*block, sender.block(*block), choice)));
            std::vector<proto::BundleAck> acks;
            TRY(reader.drain(acks));
            TRY(sender.take(acks, result));
        }
        session_->follow_up(number, proto::WriteEnd{sync});
        std::vector<proto::BundleAck> acks;
        TRY(reader.finish(op, acks));
        TRY(sender.take(acks, result));
        if (!sender.retry()) return result;
    }
    return not_verified();
}

Result<proto::SmallWritten> Agent::write_small(const Op& op, const Claim& claim, proto::WriteSmall request) {
    request.root = claim.root;
    request.epoch = claim.epoch;
    return call<proto::SmallWritten>(op, *session_, request, "write a small file");
}

Result<proto::Applied> Agent::apply(const Op& op, const Claim& claim, std::vector<proto::Change> changes,
                                    bool keep_going) {
    proto::Applied all;
    for (std::size_t at = 0; at < changes.size();) {
        const std::size_t count = part_of_list(changes, at, [](const proto::Change& change) {
            return change.path.size() + change.other.size() + sizeof(proto::Change);
        });
        const auto first = changes.begin() + static_cast<std::ptrdiff_t>(at);
        const proto::Apply request{
            claim.root, claim.epoch, keep_going, {first, first + static_cast<std::ptrdiff_t>(count)}};
        TRY_ASSIGN(const proto::Applied part, call<proto::Applied>(op, *session_, request, "change files"));
        all.done += part.done;
        for (proto::ItemFailure failure : part.failures) {
            failure.index += static_cast<std::uint32_t>(at);
            all.failures.push_back(failure);
        }
        if (!part.failures.empty() && !keep_going) break;
        at += count;
    }
    return all;
}

namespace {

Status one_change(const Op& op, Agent& agent, const Claim& claim, proto::Change change, std::string_view doing) {
    const std::string path = change.path;
    std::vector<proto::Change> changes;
    changes.push_back(std::move(change));
    TRY_ASSIGN(const proto::Applied applied, agent.apply(op, claim, std::move(changes), false));
    if (applied.failures.empty()) return ok();
    proto::Refusal refusal;
    refusal.reason = applied.failures.front().reason;
    refusal.error = applied.failures.front().error;
    refusal.path = path;
    return proto::to_error(refusal, doing);
}

}  // namespace

Status Agent::make_directory(const Op& op, const Claim& claim, std::string_view path, std::uint32_t mode,
                             bool parents) {
    const std::uint8_t flags = parents ? proto::k_change_parents | proto::k_change_exist_ok : 0;
    return one_change(op, *this, claim, {proto::ChangeKind::make_directory, std::string(path), {}, mode, flags},
                      "make the directory");
}

Status Agent::make_symlink(const Op& op, const Claim& claim, std::string_view path, std::string_view target) {
    return one_change(op, *this, claim, {proto::ChangeKind::make_symlink, std::string(path), std::string(target), 0, 0},
                      "make the symlink");
}

Status Agent::hard_link(const Op& op, const Claim& claim, std::string_view from, std::string_view to) {
    return one_change(op, *this, claim, {proto::ChangeKind::hard_link, std::string(to), std::string(from), 0, 0},
                      "link");
}

Status Agent::copy_file(const Op& op, const Claim& claim, std::string_view from, std::string_view to) {
    return one_change(op, *this, claim, {proto::ChangeKind::copy_file, std::string(to), std::string(from), 0, 0},
                      "copy to");
}

Status Agent::rename(const Op& op, const Claim& claim, std::string_view from, std::string_view to, bool no_replace) {
    const std::uint8_t flags = no_replace ? proto::k_change_no_replace : 0;
    return one_change(op, *this, claim, {proto::ChangeKind::rename, std::string(to), std::string(from), 0, flags},
                      "rename to");
}

Status Agent::remove(const Op& op, const Claim& claim, std::string_view path, bool recursive) {
    const std::uint8_t flags = recursive ? proto::k_change_recursive : 0;
    return one_change(op, *this, claim, {proto::ChangeKind::remove, std::string(path), {}, 0, flags}, "remove");
}

Status Agent::set_executable(const Op& op, const Claim& claim, std::string_view path, bool executable) {
    return one_change(op, *this, claim,
                      {proto::ChangeKind::set_executable, std::string(path), {}, executable ? 1U : 0U, 0},
                      "set the mode of");
}

Status Agent::sync(const Op& op, proto::RootId root) {
    TRY(call<proto::Synced>(op, *session_, proto::Sync{root}, "write to the disk"));
    return ok();
}

}  // namespace drawhitch::agent
