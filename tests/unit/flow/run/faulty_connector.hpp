// FaultyConnector: connections of this machine that fail as a plan says, and a clock on which nobody waits.
#pragma once

#include <memory>

#include "flow/deps.hpp"
#include "io/transport/local.hpp"
#include "support/faulty_transport.hpp"

namespace drawhitch::support {

class FaultyConnector final : public flow::Connector {
  public:
    explicit FaultyConnector(FaultPlan& plan) : plan_(plan) {}
    Result<std::unique_ptr<transport::Transport>> to(const Op&, const model::Lease&) override {
        return std::unique_ptr<transport::Transport>(std::make_unique<FaultyTransport>(local_, plan_));
    }

  private:
    FaultPlan& plan_;
    transport::LocalTransport local_{};
};

// Time as it is, but pauses between two tries take none.
class HastyClock final : public Clock {
  public:
    Instant now() const override { return system_clock().now(); }
    WallTime wall() const override { return system_clock().wall(); }
    void sleep(milliseconds, const Cancel&) override {}
};

}  // namespace drawhitch::support
