#include "support/fake_transport.hpp"

#include <algorithm>

namespace drawhitch::support {

using transport::Step;
using transport::Stream;

namespace {

// The nonce of a shell command: the word behind the second "echo".
std::string nonce_of(const std::string& command) {
    static constexpr std::string_view k_before = "echo; echo ";
    const std::size_t at = command.find(k_before);
    if (at == std::string::npos) return {};
    const std::size_t from = at + k_before.size();
    return command.substr(from, command.find(';', from) - from);
}

}  // namespace

class FakeProcess final : public transport::Process {
  public:
    FakeProcess(FakeTransport& owner, std::string command) : owner_(owner) {
        call_.command = std::move(command);
        if (call_.is_shell()) out_ = owner.noise_ + "\n" + nonce_of(call_.command) + "\n";
    }

    Result<Step> step(const Op& op, std::string_view outgoing, bool end_of_input) override {
        for (;;) {
            TRY(op.check());
            Step step;
            step.sent = std::min(outgoing.size(), owner_.piece_);
            stdin_.append(outgoing.substr(0, step.sent));
            if (end_of_input && step.sent == outgoing.size() && !answered_) answer();
            if (deliver(out_, Stream::out, step) || deliver(reply_.err, Stream::err, step) || step.sent > 0)
                return step;
            if (answered_ && reply_.error) return *reply_.error;
            if (answered_ && !reply_.hangs) {
                step.exit = reply_.exit;
                return step;
            }
            // Nothing can happen any more but the deadline or cancel.
            op.clock.sleep(milliseconds{10}, op.cancel);
        }
    }

  private:
    void answer() {
        answered_ = true;
        call_.input = stdin_;
        if (call_.is_shell()) {
            const std::size_t end = ("\n" + stdin_).find("\n.\n");
            if (end != std::string::npos) {
                call_.script = stdin_.substr(0, end);
                call_.input = stdin_.substr(end + 2);
            }
        }
        owner_.calls_.push_back(call_);
        reply_ = owner_.handler_(call_);
        out_ += reply_.out;
    }

    bool deliver(std::string& text, Stream stream, Step& step) {
        if (text.empty()) return false;
        const std::size_t count = std::min(text.size(), owner_.piece_);
        piece_.assign(text, 0, count);
        text.erase(0, count);
        step.stream = stream;
        step.received = piece_;
        return true;
    }

    FakeTransport& owner_;
    FakeCall call_{};
    std::string stdin_{};
    std::string out_{};
    std::string piece_{};
    FakeReply reply_{};
    bool answered_{false};
};

Result<std::unique_ptr<transport::Process>> FakeTransport::exec(const Op& op, const transport::BoxCommand& command) {
    TRY(op.check());
    if (refusal_) return *refusal_;
    return std::unique_ptr<transport::Process>(std::make_unique<FakeProcess>(*this, command.text()));
}

}  // namespace drawhitch::support
