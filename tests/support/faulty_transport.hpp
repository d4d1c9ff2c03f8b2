// FaultyTransport: the fault loop for everything above Transport. It counts each exec and each step and fails the n-th
// one, once or from then on. A test raises n until a run passes without a fault:
//     for (std::size_t n = 1;; ++n) { FaultPlan plan{n}; FaultyTransport box(real, plan); …; if (!plan.fired) break; }
#pragma once

#include "io/transport/transport.hpp"

namespace drawhitch::support {

struct FaultPlan {
    std::size_t fail_at{0};  // counted from 1; 0 never fails
    bool persistent{false};  // every call from then on fails, too
    Error error{Code::link_lost, Retry::reconnect, "the connection ended (injected)"};
    std::size_t calls{0};  // counted so far
    bool fired{false};
};

class FaultyTransport final : public transport::Transport {
  public:
    // Neither is owned. A plan may span several transports, so that a reconnect goes on counting.
    FaultyTransport(transport::Transport& inner, FaultPlan& plan) : inner_(inner), plan_(plan) {}

    Result<std::unique_ptr<transport::Process>> exec(const Op& op, const transport::BoxCommand& command) override;
    [[nodiscard]] std::string describe() const override { return "faulty " + inner_.describe(); }

  private:
    transport::Transport& inner_;
    FaultPlan& plan_;
};

}  // namespace drawhitch::support
