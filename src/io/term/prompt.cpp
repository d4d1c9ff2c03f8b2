#include "io/term/prompt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "io/term/input.hpp"
#include "io/term/screen.hpp"

namespace drawhitch::term {

namespace {

// A question may have several lines of our own; everything else that is no text is escaped.
std::string shown_lines(std::string_view question) {
    std::string text;
    for (const std::string_view line : split(question, '\n'))
        text += (text.empty() ? "" : "\n") + printable(line);
    return text;
}

constexpr std::size_t k_longest_answer = 4096;  // a terminal line in canonical mode holds no more

Error nobody_to_ask(std::string_view question, std::string_view instead, bool forbidden) {
    std::string message = "this needs an answer: " + printable(question);
    return Error{Code::usage, std::move(message)}
        .because(forbidden ? "questions are switched off by --no-input" : "there is no terminal to ask on")
        .then(std::string{instead});
}

bool is_yes(std::string_view answer) {
    std::string lower;
    for (const char c : trim(answer))
        lower += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
    return lower == "y" || lower == "yes";
}

// Runs `after` on every way out.
class Finally {
  public:
    explicit Finally(std::function<void()> after) : after_(std::move(after)) {}
    Finally(const Finally&) = delete;
    Finally& operator=(const Finally&) = delete;
    ~Finally() {
        if (after_) after_();
    }

  private:
    std::function<void()> after_;
};

}  // namespace

Prompt::Prompt(PromptOptions options, EchoGuard& echo) : options_(std::move(options)), echo_(echo) {}

bool Prompt::possible() const {
    if (options_.no_input) return false;
    const UniqueFd terminal{::open(options_.terminal.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)};
    return static_cast<bool>(terminal);
}

void Prompt::make_way(const std::function<void()>& asking) {
    if (options_.before) options_.before();
    const Finally shown{options_.after};
    asking();
}

Result<Prompt::Answer> Prompt::ask(const Op& op, std::string_view question, std::string_view instead, bool hidden) {
    if (options_.no_input) return nobody_to_ask(question, instead, true);
    const UniqueFd terminal{::open(options_.terminal.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)};
    if (!terminal || !is_terminal(terminal.get())) return nobody_to_ask(question, instead, false);
    if (options_.before) options_.before();
    const Finally shown{options_.after};
    // A hidden answer is never read with echo on: no terminal settings, no question.
    if (hidden && !echo_.silence(terminal.get())) return nobody_to_ask(question, instead, false);
    const Finally restored{[this] { echo_.restore(); }};
    TRY(write_all(terminal.get(), shown_lines(question) + " ", "the terminal"));

    Answer answer;
    for (;;) {
        if (Status waited = wait_readable(op, terminal.get(), "the terminal"); !waited) {
            (void)write_all(terminal.get(), "\n", "the terminal");  // what comes next begins on a line of its own
            return std::move(waited).error();
        }
        char c{};
        const ssize_t count = ::read(terminal.get(), &c, 1);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count <= 0) {
            answer.ended = answer.line.empty();
            break;
        }
        if (c == '\n' || c == '\r') break;
        if (answer.line.size() < k_longest_answer) answer.line += c;
    }
    // The line end was typed unseen, or never.
    if (hidden || answer.ended) (void)write_all(terminal.get(), "\n", "the terminal");
    return answer;
}

Result<bool> Prompt::yes_no(const Op& op, std::string_view question, std::string_view instead) {
    if (options_.yes) return true;
    TRY_ASSIGN(const Answer answer, ask(op, std::string{question} + " [y/N]", instead, false));
    return is_yes(answer.line);
}

Result<bool> Prompt::typed(const Op& op, std::string_view question, std::string_view expected,
                           std::string_view instead) {
    TRY_ASSIGN(const Answer answer, ask(op, question, instead, false));
    return trim(answer.line) == expected;
}

Result<std::string> Prompt::secret(const Op& op, std::string_view question, std::string_view instead) {
    TRY_ASSIGN(Answer answer, ask(op, question, instead, true));
    if (answer.ended) return Error{Code::usage, "no answer was typed: " + printable(question)};
    return std::move(answer.line);
}

}  // namespace drawhitch::term
