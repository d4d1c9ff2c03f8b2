#include "support/eventful_box.hpp"

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

}  // namespace drawhitch::support
