// FakeTransport: a box made of one function. It speaks the ready line and the script framing of a real shell, so all
// code above Transport runs unchanged; what the script "does" is what the handler answers. Every call is kept.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/transport/transport.hpp"

namespace drawhitch::support {

// What was started and what its stdin held when it ended.
struct FakeCall {
    std::string command{};  // the text of the BoxCommand
    std::string script{};   // the lines before the lone ".", when it was a shell
    std::string input{};    // what followed, or the whole stdin of a program
    [[nodiscard]] bool is_shell() const { return command.find("/bin/sh -c") != std::string::npos; }
};

struct FakeReply {
    std::string out{};
    std::string err{};
    transport::Exit exit{};
    std::optional<Error> error{};  // instead of the exit: the link fails after `out` and `err` were delivered
    bool hangs{false};             // instead of the exit: nothing more ever comes
};

class FakeTransport final : public transport::Transport {
  public:
    using Handler = std::function<FakeReply(const FakeCall&)>;
    explicit FakeTransport(Handler handler) : handler_(std::move(handler)) {}

    Result<std::unique_ptr<transport::Process>> exec(const Op& op, const transport::BoxCommand& command) override;
    [[nodiscard]] std::string describe() const override { return "fake"; }

    // In order; a call is added when its stdin ended.
    [[nodiscard]] const std::vector<FakeCall>& calls() const { return calls_; }
    // What connecting answers from now on, until cleared.
    void refuse(std::optional<Error> error) { refusal_ = std::move(error); }
    // How many bytes one step moves at most, in each direction.
    void set_piece(std::size_t bytes) { piece_ = bytes; }
    // What a login shell's start-up files print before anything else.
    void set_noise(std::string noise) { noise_ = std::move(noise); }

  private:
    friend class FakeProcess;
    Handler handler_{};
    std::vector<FakeCall> calls_{};
    std::optional<Error> refusal_{};
    std::size_t piece_{64U << 10U};
    std::string noise_{};
};

}  // namespace drawhitch::support
