// Session: everything around one handler: formats, sinks, prompt, deadline, and the way the end is told.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.hpp"
#include "cli/next_step.hpp"
#include "cli/parsed.hpp"
#include "cli/registry.hpp"
#include "io/term/output.hpp"
#include "io/term/prompt.hpp"
#include "io/term/screen.hpp"
#include "io/term/sinks.hpp"

namespace drawhitch::term {
class LogFile;
}

namespace drawhitch::cli {

// What the process gives us; a test gives its own.
struct Surroundings {
    Environment environment{};
    int out{1};
    int err{2};
    Clock& clock;
    Cancel& cancel;
    term::EchoGuard& echo;
};

class Session {
  public:
    // The references outlive the session. Code::usage, Code::local_io and the like when the flags cannot be honoured
    // (-C, --log-file, --json with --jsonl).
    static Result<std::unique_ptr<Session>> open(const Surroundings& around, const Globals& globals,
                                                 const model::Settings& settings, Asked asked);
    ~Session();

    // Runs the handler, tells how it ended, and returns the exit code.
    int execute(const Registry& registry, const Parsed& parsed);

    // Tells about an error that came before any session existed; returns its exit code.
    static int fail_early(const Surroundings& around, AskedFormat format, const Error& error, const Asked& asked);

  private:
    Session(const Surroundings& around, const Globals& globals, const model::Settings& settings, Asked asked);
    Status enter_directory();
    void open_sinks();
    void tick();
    int tell(Result<Outcome> result);

    const Surroundings& around_;
    const Globals& globals_;
    const model::Settings& settings_;
    Asked asked_;
    std::string directory_{};
    bool color_{false};
    bool told_of_cancel_{false};
    std::optional<term::LiveSink> live_{};
    std::optional<term::PlainSink> plain_{};
    std::optional<term::Output> out_{};
    std::optional<term::JsonLinesSink> json_lines_{};
    term::WarningRecorder recorder_{};
    std::unique_ptr<term::LogFile> log_{};
    std::optional<term::FanOut> events_{};
    std::optional<term::Ticker> ticker_{};
};

}  // namespace drawhitch::cli
