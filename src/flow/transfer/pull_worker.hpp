// PullWorker: one connection of a pull. Takes work from the shared state, keeps several requests in flight, checks
// every byte that arrives, hands it to the finisher, and reconnects with back-off when the link dies. One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/codec/codec.hpp"
#include "core/plan/codec_policy.hpp"
#include "core/proto/bundle.hpp"
#include "core/proto/chunk.hpp"
#include "core/proto/flow_window.hpp"
#include "flow/transfer/crew.hpp"
#include "flow/transfer/pull_finisher.hpp"
#include "flow/transfer/pull_state.hpp"

namespace drawhitch::flow {

// What all connections of a pull are given. The references outlive it.
struct PullSource {
    PullFinisher& finisher;
    const Dial& dial;
    const PullLimits& limits;
};

class PullWorker final : private LinkedWork {
  public:
    PullWorker(PullState& state, const PullSource& source, Seat& seat) : state_(state), source_(source), seat_(seat) {}

    // Works until the pull is over. `link` is a connection to begin with, if there is one already. An Error: this
    // worker cannot go on (its work went back to the state).
    Status run(const Op& op, std::optional<Link> link);

  private:
    // One request in flight. What is still owed goes back to the state when the connection ends.
    struct Pending {
        PullWork work{};
        proto::ChunkAssembler assembler{};
        std::set<std::uint32_t> owed{};  // span: chunks; bundle: indexes into work.jobs
        std::uint32_t next_block{0};
        std::vector<std::uint32_t> generations{};  // bundle: of each job when it was asked for
        std::vector<proto::Digest> leaves{};       // compare
        std::shared_ptr<LocalBase> base{};         // span: what was named to the helper
    };

    [[nodiscard]] bool over() const override;
    Status serve(const Op& op, Link& link) override;
    Status serve_heard(const Op& op, Link& link);
    bool unlinked(const agent::Traffic& traffic) override;
    void relinked() override;
    Status fill(const Op& op, Link& link);
    Status wait_for_work(const Op& op, Link& link);
    void came(const Op& op, Link& link, const agent::Incoming& incoming);
    [[nodiscard]] std::uint64_t ahead() const;
    [[nodiscard]] double grows() const;
    [[nodiscard]] plan::Packing packing(const Link& link) const;
    void submit(Link& link, PullWork work);
    void submit_bundle(Link& link, Pending& pending);
    [[nodiscard]] std::optional<proto::BaseFile> name_base(const Link& link, Pending& pending) const;
    void count_base(std::size_t job, const proto::EncodedChunk& chunk, const Result<std::string>& raw);
    Status handle(const Op& op, Link& link, agent::Incoming&& incoming);
    Status on_data(const Op& op, Link& link, Pending& pending, std::string_view payload);
    Status on_chunk(const Op& op, Link& link, Pending& pending, proto::EncodedChunk&& chunk);
    Status on_block(const Op& op, Link& link, Pending& pending, proto::EncodedChunk&& chunk);
    Status on_record(const Op& op, Link& link, Pending& pending, proto::BundleFile&& file);
    Status on_refusal(Pending& pending, const proto::Refusal& refusal);
    Status on_answer(Pending& pending, const agent::Incoming& incoming);
    void item_refused(std::size_t job, std::uint32_t generation, proto::Reason reason, std::int32_t error_number);
    void return_all();
    template <class Thing>
    Status hand_over(const Op& op, Link& link, Thing& thing);

    PullState& state_;
    const PullSource& source_;
    Seat& seat_;
    codec::Codec codec_{};
    proto::FlowWindow window_{};
    std::uint64_t granted_window_{0};
    std::uint64_t raw_come_{0};  // what arrived, decoded, for the share that is left of it on its way
    std::uint64_t packed_come_{0};
    std::map<std::uint32_t, Pending> pending_{};
    std::uint64_t pending_raw_{0};
    bool progressed_{false};  // since the last reconnect
};

}  // namespace drawhitch::flow
