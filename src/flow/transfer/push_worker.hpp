// PushWorker: one connection of a push. Reads, encodes and sends, keeps several requests unanswered, collects the acks,
// and reconnects with back-off when the link dies. One thread.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "core/codec/codec.hpp"
#include "core/proto/chunk.hpp"
#include "flow/transfer/crew.hpp"
#include "flow/transfer/fence.hpp"
#include "flow/transfer/push_state.hpp"

namespace drawhitch::flow {

// What all connections of a push are given. The references outlive it.
struct PushSource {
    const ReadPiece& read;
    const Dial& dial;
    Fence& fence;
    const PushLimits& limits;
};

class PushWorker final : private LinkedWork {
  public:
    PushWorker(PushState& state, const PushSource& source, Seat& seat) : state_(state), source_(source), seat_(seat) {}

    Status run(const Op& op, std::optional<Link> link);

  private:
    struct Pending {
        PushWork work{};
        std::set<std::size_t> owed{};                    // span: chunks; bundle: files; not acknowledged yet
        std::vector<std::vector<std::size_t>> blocks{};  // bundle: files of each block
        std::vector<proto::Digest> leaves{};             // probe
    };

    [[nodiscard]] bool over() const override;
    Status serve(const Op& op, Link& link) override;
    Status serve_heard(const Op& op, Link& link);
    bool unlinked(const agent::Traffic& traffic) override;
    void relinked() override;
    Status start(const Op& op, Link& link, PushWork work);
    Status start_probe(Link& link, Pending&& pending);
    Status start_span(const Op& op, Link& link, Pending&& pending);
    Status start_bundle(const Op& op, Link& link, Pending&& pending);
    Status start_commit(Link& link, Pending&& pending);
    Status start_find(Link& link, Pending&& pending);
    Status send_block(const Op& op, Link& link, std::uint32_t request, std::uint32_t index, std::string_view raw);
    Status collect(const Op& op, Link& link);
    Status handle(const Op& op, Link& link, const agent::Incoming& incoming);
    Status on_ack(Pending& pending, const agent::Incoming& incoming);
    Status on_bundle_ack(Pending& pending, const agent::Incoming& incoming);
    Status on_refusal(Pending& pending, const proto::Refusal& refusal);
    Status on_last(Pending& pending, const agent::Incoming& incoming);
    Status idle(const Op& op, Link& link);
    Status claim_again(const Op& op, Link& link);
    void return_all();

    PushState& state_;
    const PushSource& source_;
    Seat& seat_;
    codec::Codec codec_{};
    std::map<std::uint32_t, Pending> pending_{};
    std::uint64_t unacked_{0};
    bool progressed_{false};
    bool kept_{false};                  // the connection is the outcome's
    std::optional<Error> fenced_by_{};  // what the box said when another claim was in force
};

}  // namespace drawhitch::flow
