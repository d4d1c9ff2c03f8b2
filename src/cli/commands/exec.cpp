#include <unistd.h>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/retype.hpp"
#include "cli/workplace.hpp"
#include "core/parse/log_lines.hpp"
#include "flow/exec.hpp"
#include "io/term/input.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Json;
using transport::Stream;

constexpr std::size_t k_most_input = 64U << 20U;
constexpr std::size_t k_most_json = 16U << 20U;

Result<std::string> all_of_stdin(const Op& op) {
    std::string input;
    char piece[65536];
    for (;;) {
        TRY_ASSIGN(const std::size_t count, term::read_some(op, 0, piece, "standard input"));
        if (count == 0) return input;
        input.append(piece, count);
        if (input.size() > k_most_input)
            return Error{Code::usage, "--stdin takes at most " + human_bytes(k_most_input)}.then("drawhitch help cp");
    }
}

// Where the command's output goes: as it is into pipes and files, without what could move the cursor onto a terminal,
// collected for --json.
class Receiver {
  public:
    explicit Receiver(term::Output& out) : out_(out) {}

    Status take(Stream stream, std::string_view piece) {
        if (out_.for_machines()) return collect(stream == Stream::out ? stdout_ : stderr_, piece);
        const bool terminal = ::isatty(stream == Stream::out ? 1 : 2) == 1;
        if (terminal) {
            lines(stream).feed(piece, [&](std::string_view line) { write(stream, std::string(line) + "\n"); });
        } else {
            write(stream, piece);
        }
        if (out_.reader_gone()) return Error{Code::cancelled, "nobody reads the output any more"};
        return out_.status();
    }

    void finish() {
        for (const Stream stream : {Stream::out, Stream::err}) {
            const std::string rest = lines(stream).current();
            if (!rest.empty()) write(stream, rest + "\n");
        }
        out_.json("stdout", Json::name(stdout_));
        out_.json("stderr", Json::name(stderr_));
    }

  private:
    static Status collect(std::string& kept, std::string_view piece) {
        if (kept.size() + piece.size() > k_most_json) {
            return Error{Code::protocol, "the output is too large for --json"}.because("more than " +
                                                                                       human_bytes(k_most_json));
        }
        kept.append(piece);
        return ok();
    }

    void write(Stream stream, std::string_view bytes) {
        if (stream == Stream::out) {
            out_.raw(bytes);
            out_.flush();
        } else {
            (void)write_all(2, bytes, "standard error");  // it may be closed; there is nobody left to tell
        }
    }

    parse::LogLines& lines(Stream stream) { return stream == Stream::out ? out_lines_ : err_lines_; }

    term::Output& out_;
    parse::LogLines out_lines_{};
    parse::LogLines err_lines_{};
    std::string stdout_{};
    std::string stderr_{};
};

Result<Outcome> run_exec(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto here, place->target(parsed));
    flow::ExecRequest request;
    request.command = parsed.trailing();
    request.directory = parsed.text("dir").value_or("");
    if (context.globals.dry_run) {
        const std::string words = request.command.size() == 1 ? request.command.front() : command_line(request.command);
        context.out.text("would run on " + printable(here.lease.name) + ": " + printable(words));
        context.out.json("box", Json::name(here.lease.name));
        return Outcome{};
    }
    if (parsed.flag("stdin")) {
        TRY_ASSIGN(request.input, all_of_stdin(context.op));
    }
    Receiver receiver(context.out);
    TRY_ASSIGN(const transport::Exit exit,
               flow::exec(context.op, place->deps(), here.lease, request,
                          [&](Stream stream, std::string_view piece) { return receiver.take(stream, piece); }));
    receiver.finish();
    context.out.json("box", Json::name(here.lease.name));
    context.out.json("exit_code", flow::exit_code(exit));
    context.out.json("signal", exit.signal.empty() ? Json{} : Json{exit.signal});
    return Outcome{.exit = flow::exit_code(exit)};
}

}  // namespace

CommandRow exec_command() {
    return CommandRow{
        .verb = "exec",
        .group = Group::inspect,
        .summary = "run one command on a box",
        .description =
            "Ends with the command's own exit code (128 + n when signal n ended it). Several words are the\n"
            "program and its arguments, exactly; a single word is a line for the box's shell. Standard input\n"
            "is empty unless --stdin is given. Nothing survives the connection: use run for jobs. Ctrl-C,\n"
            "--timeout and a lost connection end the command and its process group on the box: TERM, and\n"
            "KILL five seconds later. Its end is waited for, two seconds at most.",
        .positionals = {{.name = "BOX", .help = "a name from ls", .box_optional = true}},
        .options = {{.names = "--dir",
                     .kind = OptionKind::path,
                     .metavar = "DIR",
                     .help = "the directory to run in, seen from the home; else the home"},
                    {.names = "--stdin", .help = "hand on standard input, 64 MiB at most"}},
        .trailing = "COMMAND [ARG…]",
        .trailing_required = true,
        .examples = {{"drawhitch exec b1 -- nvidia-smi", "one look"},
                     {"drawhitch exec b1 -- 'du -sh /data/* | sort -h'", "a line for the shell"}},
        .handler = run_exec,
    };
}

}  // namespace drawhitch::cli
