#include "cli/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <exception>
#include <utility>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/render_error.hpp"
#include "io/term/log_file.hpp"

namespace drawhitch::cli {

namespace {

constexpr milliseconds k_tick{100};  // bars are drawn at most this often

bool is_set(const Environment& environment, const char* name) {
    const auto value = environment(name);
    return value && !value->empty();
}

term::ColorHints color_hints(const Environment& environment) {
    const std::string force = environment("CLICOLOR_FORCE").value_or("");
    const std::string kind = environment("TERM").value_or("dumb");
    return term::ColorHints{.no_color = is_set(environment, "NO_COLOR"),
                            .force_color = !force.empty() && force != "0",
                            .dumb = kind == "dumb" || kind.empty()};
}

term::Format format_of(const Globals& globals, int out) {
    if (globals.json) return term::Format::json;
    if (globals.jsonl) return term::Format::jsonl;
    return term::is_terminal(out) && !globals.plain ? term::Format::table : term::Format::tsv;
}

void write_to(int fd, const std::string& text) {
    // Standard error may be closed; there is nobody left to tell.
    (void)write_all(fd, text, "standard error");
}

// The exit code of such a verb is the remote command's and means nothing to us.
bool hands_on(const Asked& asked) {
    return asked.verb == "exec" || asked.verb == "ssh";
}

Error internal_error(std::string_view verb, std::string_view what) {
    return Error{Code::internal, "internal error in " + std::string{verb} + ": " + printable(what)}
        .because("this is a bug in drawhitch; please report this message with the output of the next command")
        .then("drawhitch version --json");
}

}  // namespace

Session::Session(const Surroundings& around, const Globals& globals, const model::Settings& settings, Asked asked)
    : around_(around),
      globals_(globals),
      settings_(settings),
      asked_(std::move(asked)),
      color_(term::wants_color(globals.color, color_hints(around.environment), term::is_terminal(around.err))) {}

Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::open(const Surroundings& around, const Globals& globals,
                                               const model::Settings& settings, Asked asked) {
    if (globals.json && globals.jsonl) {
        return Error{Code::usage, "--json and --jsonl exclude each other"}.then("drawhitch " + asked.verb + " --json");
    }
    std::unique_ptr<Session> session{new Session{around, globals, settings, std::move(asked)}};
    TRY(session->enter_directory());
    if (globals.log_file) {
        auto log = term::LogFile::open(*globals.log_file);
        if (!log) return std::move(log).error().then("drawhitch help global-options");
        session->log_ = std::move(*log);
    }
    session->open_sinks();
    return session;
}

Status Session::enter_directory() {
    if (globals_.directory && ::chdir(globals_.directory->c_str()) != 0) {
        Error error = errno_error(errno, "enter", *globals_.directory);
        error.code = Code::usage;
        return std::move(error).then("drawhitch help global-options");
    }
    char path[PATH_MAX];
    // A working directory that was removed has no name; commands that need one say so themselves.
    if (::getcwd(path, sizeof path) != nullptr) directory_ = path;
    return ok();
}

void Session::open_sinks() {
    const bool dumb = color_hints(around_.environment).dumb;
    const bool bars = term::is_terminal(around_.err) && !globals_.plain && !globals_.quiet && !dumb;
    const term::SinkOptions options{
        .fd = around_.err, .quiet = globals_.quiet, .verbose = globals_.verbose, .color = color_};
    std::vector<EventSink*> sinks{&recorder_};
    term::OutputOptions output{.fd = around_.out, .format = format_of(globals_, around_.out), .command = asked_.verb};
    if (output.format == term::Format::table) output.width = term::terminal_width(around_.out, 0);
    if (bars) {
        live_.emplace(options, around_.clock);
        sinks.push_back(&*live_);
        if (term::is_terminal(around_.out)) output.before_write = [this] { live_->clear(); };
    } else {
        plain_.emplace(options, around_.clock);
        sinks.push_back(&*plain_);
    }
    out_.emplace(std::move(output));
    if (globals_.jsonl) {
        json_lines_.emplace(*out_, around_.clock);
        sinks.push_back(&*json_lines_);
    }
    if (log_) sinks.push_back(log_.get());
    events_.emplace(std::move(sinks));
    ticker_.emplace(k_tick, [this] { tick(); });
}

// On the ticker's thread.
void Session::tick() {
    if (around_.cancel.requested() && !std::exchange(told_of_cancel_, true)) {
        events_->emit(Event{.kind = EventKind::note, .text = "stopping; press Ctrl-C again to stop at once"});
    }
    if (live_) live_->tick();
    if (plain_) plain_->tick();
}

int Session::execute(const Registry& registry, const Parsed& parsed) {
    term::PromptOptions asking{.no_input = globals_.no_input, .yes = globals_.yes};
    if (live_) {
        asking.before = [this] { live_->hide(); };
        asking.after = [this] { live_->show(); };
    }
    term::Prompt prompt{std::move(asking), around_.echo};
    const Op unbounded{around_.cancel, around_.clock, *events_};
    const Op op = globals_.timeout ? unbounded.within(*globals_.timeout) : unbounded;
    Context context{op, globals_, settings_, around_.environment, registry, *out_, prompt, directory_, {}};
    op.debug("command: " + asked_.verb);
    Result<Outcome> result = [&]() -> Result<Outcome> {
        try {
            return parsed.row().handler(context, parsed);
        } catch (const std::exception& problem) {
            return internal_error(asked_.verb, problem.what());
        }
    }();
    asked_.box = context.box;
    const int code = tell(std::move(result));
    op.debug("exit code: " + std::to_string(code));
    return code;
}

int Session::tell(Result<Outcome> result) {
    ticker_.reset();
    if (!result) result = with_next(std::move(result).error(), asked_);
    if (live_) live_->hide();
    // Told once, at the end: a log that is not whole is no reason to fail.
    if (log_ && log_->failed())
        events_->emit(Event{.kind = EventKind::warning,
                            .text = "the log file " + *globals_.log_file + " could not be written to its end"});
    // The reader had enough (`| head`): the command stopped because of that, which is how it should end.
    const bool had_enough = !result && result.error().code == Code::cancelled && out_->reader_gone();
    if (had_enough && !around_.cancel.requested()) return exit_code::k_ok;
    term::Summary summary{.warnings = recorder_.warnings()};
    if (result) {
        if (result->next.empty() && !hands_on(asked_)) result->next = next_after(result->exit, asked_);
        for (std::string& command : result->next)
            command = typeable_here(command, asked_);
        summary.exit = result->exit;
        summary.next = result->next;
    } else {
        summary.exit = exit_code_of(result.error().code);
        summary.error = &result.error();
    }
    out_->finish(summary);
    if (!result) {
        write_to(around_.err, render_error(result.error(), color_));
    } else if (!globals_.quiet) {
        for (const std::string& command : result->next)
            write_to(around_.err, "next: " + printable(command) + "\n");
    }
    if (out_->status() || summary.exit != exit_code::k_ok) return summary.exit;
    Error unwritten = out_->status().error();
    unwritten.next = filled_in("{again}", asked_);
    write_to(around_.err, render_error(unwritten, color_));
    return exit_code_of(unwritten.code);
}

int Session::fail_early(const Surroundings& around, AskedFormat format, const Error& early, const Asked& asked) {
    const Error error = with_next(early, asked);
    const int code = exit_code_of(error.code);
    if (format.json || format.jsonl) {
        const term::Format wanted = format.json ? term::Format::json : term::Format::jsonl;
        term::Output out{term::OutputOptions{.fd = around.out, .format = wanted, .command = asked.verb}};
        out.finish(term::Summary{.exit = code, .error = &error});
    }
    const bool color =
        term::wants_color(term::ColorMode::automatic, color_hints(around.environment), term::is_terminal(around.err));
    write_to(around.err, render_error(error, color));
    return code;
}

}  // namespace drawhitch::cli
