// Prompt: questions to the person at the keyboard, asked on the controlling terminal (never on stdin or stdout, which
// may be pipes). A closed gate is not asked about: callers decide what may be asked at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/op.hpp"
#include "base/result.hpp"

namespace drawhitch::term {

class EchoGuard;

struct PromptOptions {
    bool no_input{false};              // --no-input: every question fails
    bool yes{false};                   // -y: answers yes/no questions, and those alone
    std::string terminal{"/dev/tty"};  // tests name another one
    std::function<void()> before{};    // take the progress bars off the screen
    std::function<void()> after{};     // and put them back
};

// Each question returns Code::usage when nobody can be asked, with `instead` (the flag or command that answers it) as
// the next step; Code::cancelled or Code::deadline when Op ends while waiting.
class Prompt {
  public:
    Prompt(PromptOptions options, EchoGuard& echo);

    // "QUESTION [y/N] ": only y and yes count as yes; an empty line and an end of input are no.
    Result<bool> yes_no(const Op& op, std::string_view question, std::string_view instead);
    // Asks for `expected` to be typed, letter by letter; true when it was. Never answered by -y.
    Result<bool> typed(const Op& op, std::string_view question, std::string_view expected, std::string_view instead);
    // A line that is not shown. The caller wipes it after use. An end of input is Code::usage.
    Result<std::string> secret(const Op& op, std::string_view question, std::string_view instead);
    // True when a question could be asked.
    [[nodiscard]] bool possible() const;
    // True under --no-input.
    [[nodiscard]] bool forbidden() const { return options_.no_input; }
    // Runs what asks on the terminal by itself, with the progress bars off the screen.
    void make_way(const std::function<void()>& asking);

  private:
    struct Answer {
        std::string line{};
        bool ended{false};  // the terminal was closed, or Ctrl-D typed
    };
    Result<Answer> ask(const Op& op, std::string_view question, std::string_view instead, bool hidden);

    PromptOptions options_;
    EchoGuard& echo_;
};

}  // namespace drawhitch::term
