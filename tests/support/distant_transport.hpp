// DistantTransport: a box that is near, and whose every word comes as late as from a far one.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "io/transport/transport.hpp"

namespace drawhitch::support {

class DistantTransport final : public transport::Transport {
  public:
    // `at_the_door` is called when the path is there and nobody was let in yet.
    DistantTransport(std::unique_ptr<transport::Transport> inner, milliseconds round_trip,
                     std::function<void()> at_the_door = {})
        : inner_(std::move(inner)), round_trip_(round_trip), at_the_door_(std::move(at_the_door)) {}

    Result<std::unique_ptr<transport::Process>> exec(const Op& op, const transport::BoxCommand& command) override {
        if (!let_in_) TRY(come_in(op));
        TRY_ASSIGN(auto process, inner_->exec(op, command));
        return std::unique_ptr<transport::Process>{std::make_unique<Far>(std::move(process), round_trip_)};
    }
    void tell(transport::Milestones milestones) override { milestones_ = std::move(milestones); }
    [[nodiscard]] std::string describe() const override { return "distant " + inner_->describe(); }

  private:
    class Far final : public transport::Process {
      public:
        Far(std::unique_ptr<transport::Process> inner, milliseconds round_trip)
            : inner_(std::move(inner)), round_trip_(round_trip) {}
        Result<transport::Step> step(const Op& op, std::string_view outgoing, bool end_of_input) override {
            auto step = inner_->step(op, outgoing, end_of_input);
            if (step && !step->received.empty()) op.clock.sleep(round_trip_, op.cancel);
            return step;
        }
        [[nodiscard]] std::optional<std::chrono::nanoseconds> path_round_trip() const override { return round_trip_; }

      private:
        std::unique_ptr<transport::Process> inner_;
        milliseconds round_trip_;
    };

    Status come_in(const Op& op) {
        if (milestones_.connected) milestones_.connected(round_trip_);
        if (at_the_door_) at_the_door_();
        if (milestones_.before_login) TRY(milestones_.before_login(op));
        let_in_ = true;
        if (milestones_.logged_in) milestones_.logged_in();
        return ok();
    }

    std::unique_ptr<transport::Transport> inner_;
    milliseconds round_trip_;
    std::function<void()> at_the_door_{};
    transport::Milestones milestones_{};
    bool let_in_{false};
};

}  // namespace drawhitch::support
