#include "support/tampering_transport.hpp"

#include "core/proto/limits.hpp"

namespace drawhitch::support {

namespace {

constexpr std::size_t k_preamble = 8 + proto::k_nonce_size;

class TamperingProcess final : public transport::Process {
  public:
    TamperingProcess(std::unique_ptr<transport::Process> inner, const Tamper& tamper)
        : inner_(std::move(inner)), tamper_(tamper) {}

    Result<transport::Step> step(const Op& op, std::string_view outgoing, bool end_of_input) override {
        TRY_ASSIGN(transport::Step step, inner_->step(op, outgoing, end_of_input));
        if (step.stream != transport::Stream::out || step.received.empty()) return step;
        TRY(change(step.received));
        step.received = out_;
        return step;
    }

  private:
    // The helper of a test starts without noise, so its preamble is simply the first bytes.
    Status change(std::string_view received) {
        out_.clear();
        if (seen_ < k_preamble) {
            const std::size_t head = std::min(k_preamble - seen_, received.size());
            out_ = received.substr(0, head);
            seen_ += head;
            received.remove_prefix(head);
        }
        decoder_.feed(received);
        for (;;) {
            TRY_ASSIGN(auto frame, decoder_.next());
            if (!frame) return ok();
            for (const proto::Frame& changed : tamper_(std::move(*frame)))
                proto::append_frame(out_, changed.type, changed.request, changed.payload);
        }
    }

    std::unique_ptr<transport::Process> inner_;
    const Tamper& tamper_;
    proto::FrameDecoder decoder_{};
    std::size_t seen_{0};
    std::string out_{};
};

}  // namespace

Result<std::unique_ptr<transport::Process>> TamperingTransport::exec(const Op& op,
                                                                     const transport::BoxCommand& command) {
    TRY_ASSIGN(auto inner, inner_.exec(op, command));
    return std::unique_ptr<transport::Process>{std::make_unique<TamperingProcess>(std::move(inner), tamper_)};
}

}  // namespace drawhitch::support
