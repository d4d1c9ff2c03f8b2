#include "io/transport/script.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "base/text.hpp"

namespace drawhitch::transport {

namespace {

constexpr std::size_t k_noise_bytes = 64U << 10U;  // the most start-up noise skipped, and the most stderr kept
constexpr milliseconds k_farewell{2'000};          // as long as a verb may take to end after Ctrl-C
constexpr std::size_t k_shown_noise = 200;         // how much of it an error shows

// What a box said before the ready line, as one short line for people.
std::string shown(std::string_view noise) {
    const std::string_view text = trim(noise);
    if (text.empty()) return {};
    const std::size_t from = text.size() > k_shown_noise ? text.size() - k_shown_noise : 0;
    std::string line = printable(text.substr(from));
    return from == 0 ? line : "…" + line;
}

Error shell_missing(std::string message, std::string_view noise, std::string_view err) {
    const std::string said = shown(std::string(noise) + std::string(err));
    Error error{Code::shell_missing, std::move(message)};
    error.why = said.empty()
                    ? "the box said nothing; a start-up file may wait for input, or the endpoint may give only "
                      "an interactive terminal"
                    : "the box said: " + said;
    return error;
}

// A prompt at the end of the noise, with no line end behind it: an interactive shell that ignored our command.
bool looks_like_prompt(std::string_view noise) {
    while (!noise.empty() && noise.back() == ' ')
        noise.remove_suffix(1);
    if (noise.empty()) return false;
    const char last = noise.back();
    return last == '$' || last == '#' || last == '%' || last == '>';
}

// Watches stdout for the ready line and keeps what came before it.
class ReadyLine {
  public:
    explicit ReadyLine(std::string_view nonce) : mark_("\n" + std::string(nonce)) {}

    // True once the line was seen; `rest` is then what follows it.
    bool feed(std::string_view received, std::string_view& rest) {
        noise_.append(received);
        const std::size_t at = noise_.find(mark_);
        if (at == std::string::npos) return false;
        // A terminal in between turns "\n" into "\r\n".
        std::size_t end = at + mark_.size();
        if (end < noise_.size() && noise_[end] == '\r') ++end;
        if (end >= noise_.size() || noise_[end] != '\n') return false;
        rest_ = noise_.substr(end + 1);
        noise_.resize(at);
        rest = rest_;
        return true;
    }

    [[nodiscard]] const std::string& noise() const { return noise_; }

  private:
    std::string mark_{};
    std::string noise_{};
    std::string rest_{};
};

void keep_newest(std::string& kept, std::string_view more) {
    kept.append(more);
    if (kept.size() > k_noise_bytes) kept.erase(0, kept.size() - k_noise_bytes);
}

// The script as sent: its lines, then the lone "." that ends it.
Result<std::string> framed(std::string_view script) {
    if (script.find('\0') != std::string_view::npos) return Error{Code::internal, "a script contains a NUL byte"};
    for (std::string_view line : split(script, '\n')) {
        if (line == ".") return Error{Code::internal, "a script contains a lone \".\""};
    }
    std::string text(script);
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text += ".\n";
}

struct Started {
    std::unique_ptr<Process> process{};
    std::string noise{};
    std::string err{};    // what stderr held before the ready line
    std::string first{};  // what followed the ready line in the same piece
};

// Waits for the ready line. The deadline of the wait is told apart from the caller's own.
Result<Started> start(const Op& op, Transport& transport, const ScriptLimits& limits) {
    const std::string nonce = random_hex(16);
    Started started;
    TRY_ASSIGN(started.process, transport.exec(op, BoxCommand::shell(nonce)));
    ReadyLine ready(nonce);
    const Instant patience = op.clock.now() + limits.ready;
    for (;;) {
        const bool prompt = looks_like_prompt(ready.noise());
        const Op waiting{op.cancel, op.clock, op.events,
                         std::min({op.deadline, patience, prompt ? op.clock.now() + limits.prompt : Instant::max()})};
        auto step = started.process->step(waiting, {}, false);
        if (!step && step.error().code == Code::deadline && op.check()) {
            return shell_missing(prompt ? "the endpoint gives only an interactive shell and does not run commands"
                                        : "no shell got ready on the box",
                                 ready.noise(), started.err);
        }
        if (!step) return std::move(step).error();
        std::string_view rest;
        const bool is_out = step->stream == Stream::out;
        if (!is_out) keep_newest(started.err, step->received);
        const bool found = is_out && ready.feed(step->received, rest);
        if (ready.noise().size() > k_noise_bytes) {
            return shell_missing("no shell got ready within 64 KiB of start-up output", ready.noise(), {});
        }
        if (found) {
            // The script has not been sent yet, so whatever stderr holds so far is noise, too: banners, start-up files.
            started.noise = ready.noise() + started.err;
            started.first.assign(rest);
            return started;
        }
        if (step->exit) {
            return shell_missing("the session ended before a shell got ready", ready.noise(), started.err);
        }
    }
}

using Sink = std::function<Status(Stream, std::string_view)>;

Result<Exit> drive(const Op& op, Process& process, std::string_view text, const Sink& sink, bool end_of_input = true) {
    for (;;) {
        TRY_ASSIGN(const Step step, process.step(op, text, end_of_input));
        text.remove_prefix(step.sent);
        if (!step.received.empty()) TRY(sink(step.stream, step.received));
        if (step.exit) return *step.exit;
    }
}

}  // namespace

Result<ScriptResult> run_script(const Op& op, Transport& transport, std::string_view script, std::string_view input,
                                const ScriptLimits& limits) {
    TRY_ASSIGN(std::string text, framed(script));
    text.append(input);
    TRY_ASSIGN(Started started, start(op, transport, limits));
    ScriptResult result;
    result.noise = std::move(started.noise);
    result.out = std::move(started.first);
    TRY_ASSIGN(result.exit, drive(op, *started.process, text, [&](Stream stream, std::string_view piece) -> Status {
                   if (stream == Stream::err) {
                       keep_newest(result.err, piece);
                   } else if (result.out.size() + piece.size() > limits.out_bytes) {
                       return Error{Code::protocol, "a script's output exceeds " + human_bytes(limits.out_bytes)};
                   } else {
                       result.out.append(piece);
                   }
                   return ok();
               }));
    return result;
}

Result<Exit> stream_script(const Op& op, Transport& transport, std::string_view script, const Sink& sink,
                           std::string_view input) {
    TRY_ASSIGN(std::string text, framed(script));
    text.append(input);
    TRY_ASSIGN(Started started, start(op, transport, ScriptLimits{}));
    if (!started.first.empty()) TRY(sink(Stream::out, started.first));
    return drive(op, *started.process, text, sink);
}

namespace {

// What is left to say about a command that was left behind; empty: it has ended.
std::string left_behind(const Op& op, Transport& transport, std::string_view farewell) {
    const Cancel calm;  // the caller's says that somebody is in a hurry, which is why this is short
    const Op waiting{calm, op.clock, op.events, op.clock.now() + k_farewell};
    const auto gone = run_script(waiting, transport, farewell);
    if (!gone) return "it is not known whether the command has ended; the box gives it TERM, and then KILL";
    if (gone->exit.clean()) return {};
    return "the command lives on after TERM; the box gives it KILL in a few seconds";
}

}  // namespace

Result<Exit> stream_tied_script(const Op& op, Transport& transport, const TiedScript& tied, const Sink& sink) {
    TRY_ASSIGN(std::string text, framed(tied.script));
    text.append(tied.input);
    TRY_ASSIGN(Started started, start(op, transport, ScriptLimits{}));
    Status told = started.first.empty() ? ok() : sink(Stream::out, started.first);
    Result<Exit> exit = told ? drive(op, *started.process, text, sink, false) : Result<Exit>{told.error()};
    if (exit || tied.farewell.empty()) return exit;
    Error error = std::move(exit).error();
    if (error.code != Code::cancelled && error.code != Code::deadline) return error;
    started.process.reset();
    if (std::string left = left_behind(op, transport, tied.farewell); !left.empty()) error.why = std::move(left);
    return error;
}

}  // namespace drawhitch::transport
