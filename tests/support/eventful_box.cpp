#include "support/eventful_box.hpp"

#include <stdexcept>

namespace drawhitch::support {

namespace {

class Borrowed final : public transport::Transport {
  public:
    explicit Borrowed(transport::Transport& box) : box_(box) {}
    Result<std::unique_ptr<transport::Process>> exec(const Op& op, const transport::BoxCommand& command) override {
        return box_.exec(op, command);
    }
    [[nodiscard]] std::string describe() const override { return box_.describe(); }

  private:
    transport::Transport& box_;
};

}  // namespace

EventfulBox::EventfulBox(proto::MessageType type, int nth, std::function<void()> event)
    : nth_(nth), tamper_([this, type, event = std::move(event)](proto::Frame frame) {
          if (frame.type == type && ++seen_ == nth_) event();
          std::vector<proto::Frame> frames;
          frames.push_back(std::move(frame));
          return frames;
      }) {}

Result<std::unique_ptr<transport::Process>> EventfulBox::exec(const Op& op, const transport::BoxCommand& command) {
    // What else is started speaks no frames.
    const bool helper = command.text().find("/helper-") != std::string::npos;
    return helper ? eventful_.exec(op, command) : local_.exec(op, command);
}

Result<std::unique_ptr<transport::Transport>> EventfulConnector::to(const Op&, const model::Lease&) {
    return std::unique_ptr<transport::Transport>{std::make_unique<Borrowed>(box_)};
}

flow::PullReport pull_during(FinishedRun& bench, proto::MessageType type, int nth, std::function<void()> event,
                             milliseconds record_every) {
    EventfulBox box(type, nth, std::move(event));
    EventfulConnector connector(box);
    flow::Deps& deps = bench.local.deps();
    flow::Deps eventful{deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
    flow::PullOptions options{};
    options.box = "b1";
    options.run = "r1";
    options.record_every = record_every;
    auto report = flow::pull(bench.op, eventful, options);
    if (!report) throw std::runtime_error(report.error().message);
    if (!box.happened()) throw std::runtime_error("the pull was over before the event");
    return std::move(report).value();
}

}  // namespace drawhitch::support
