// EventfulBox: this machine as the box, on which something happens when the n-th frame of a type arrives from a helper.
// So a test can change files, or fill a disk, at the same point of a transfer each time.
#pragma once

#include <functional>

#include "flow/deps.hpp"
#include "io/transport/local.hpp"
#include "support/finished_run.hpp"
#include "support/tampering_transport.hpp"

namespace drawhitch::support {

class EventfulBox final : public transport::Transport {
  public:
    // Counts from 1, over all helpers started here. `event` runs on the thread that receives, once.
    EventfulBox(proto::MessageType type, int nth, std::function<void()> event);

    Result<std::unique_ptr<transport::Process>> exec(const Op& op, const transport::BoxCommand& command) override;
    [[nodiscard]] std::string describe() const override { return "eventful " + local_.describe(); }
    [[nodiscard]] bool happened() const { return seen_ >= nth_; }

  private:
    int seen_{0};
    int nth_{0};
    transport::LocalTransport local_{};
    Tamper tamper_;
    TamperingTransport eventful_{local_, tamper_};
};

// Every connection of a flow leads to that one box, which outlives it.
class EventfulConnector final : public flow::Connector {
  public:
    explicit EventfulConnector(EventfulBox& box) : box_(box) {}
    Result<std::unique_ptr<transport::Transport>> to(const Op& op, const model::Lease& lease) override;

  private:
    EventfulBox& box_;
};

// A pull of b1 that must not fail as a whole, with the event in the middle of it. Throws if the frame never came.
flow::PullReport pull_during(FinishedRun& bench, proto::MessageType type, int nth, std::function<void()> event,
                             milliseconds record_every = milliseconds{1000});

}  // namespace drawhitch::support
