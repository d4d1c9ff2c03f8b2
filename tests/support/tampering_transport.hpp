// TamperingTransport: a box whose helper lies. The frames it sends are taken apart, changed by the test and put
// together again with right sums, so that only what is proven end to end can tell.
#pragma once

#include <functional>
#include <vector>

#include "core/proto/frame.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::support {

// What arrives instead of this frame: itself, changed, several, or nothing.
using Tamper = std::function<std::vector<proto::Frame>(proto::Frame frame)>;

class TamperingTransport final : public transport::Transport {
  public:
    // `inner` is not owned. `tamper` is called for every frame of every helper started here, in order.
    TamperingTransport(transport::Transport& inner, Tamper tamper) : inner_(inner), tamper_(std::move(tamper)) {}

    Result<std::unique_ptr<transport::Process>> exec(const Op& op, const transport::BoxCommand& command) override;
    [[nodiscard]] std::string describe() const override { return "tampering " + inner_.describe(); }

  private:
    transport::Transport& inner_;
    Tamper tamper_;
};

}  // namespace drawhitch::support
