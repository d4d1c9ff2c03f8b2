#include <unistd.h>

#include <climits>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/parsed.hpp"
#include "cli/self.hpp"
#include "flow/demo.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Json;

std::string in_directory(const Context& context, const std::string& path) {
    return path.starts_with('/') ? path : context.directory + "/" + path;
}

void show(Context& context, const flow::DemoReport& report) {
    Json steps = Json::array();
    for (const auto& step : report.steps) {
        Json row = Json::object();
        row.set("command", step.command).set("exit", step.exit).set("seconds", step.seconds);
        steps.push(row);
    }
    Json files = Json::array();
    context.out.text("\nThe results, verified, are in " + printable(report.results) + ":");
    for (const auto& file : report.files) {
        context.out.text("  " + printable(file));
        files.push(Json::name(file));
    }
    context.out.text("\nThe receipt (demo-box/r1/SHA256SUMS there; `sha256sum -c` checks it without drawhitch):");
    for (const std::string_view line : split(report.receipt, '\n'))
        if (!line.empty()) context.out.text("  " + printable(line));
    context.out.json("receipt", report.receipt);
    context.out.json("steps", steps);
    context.out.json("results", Json::name(report.results));
    context.out.json("files", files);
    context.out.json("link_cut_at", report.link_cut_at);
}

Result<Outcome> run_demo(Context& context, const Parsed& parsed) {
    flow::DemoOptions options;
    if (context.globals.dry_run) {
        context.out.text("would start a private sshd on 127.0.0.1, walk the whole road on it and remove it again; " +
                         printable(in_directory(context, parsed.text("dir").value_or("drawhitch-demo"))) +
                         " would be kept");
        return Outcome{};
    }
    TRY_ASSIGN(options.program, own_path());
    options.directory = in_directory(context, parsed.text("dir").value_or("drawhitch-demo"));
    options.next_free = !parsed.text("dir");
    options.temporary = context.environment("TMPDIR").value_or("/tmp");
    options.capture = context.out.for_machines();
    options.color = ::isatty(1) == 1 && !context.environment("NO_COLOR");
    options.say = [&context](const std::string& line) {
        context.out.text(line);
        context.out.flush();
    };
    TRY_ASSIGN(const flow::DemoReport report, flow::demo(context.op, options));
    show(context, report);
    return Outcome{.exit = 0, .next = {"drawhitch help adopt"}};
}

}  // namespace

CommandRow demo_command() {
    return CommandRow{
        .verb = "demo",
        .group = Group::shell,
        .summary = "walk the whole road on a box of its own",
        .description =
            "Starts a private sshd on 127.0.0.1 as the box, adopts it, pushes a small project, runs a\n"
            "real training job, is refused a teardown that comes too early, pulls the results over a\n"
            "link that breaks, verifies them and takes the box down. Everything it makes is removed\n"
            "again, but for the project, the results and the report. Needs sshd, ssh-keygen and python3 on this "
            "machine.",
        .options = {{"--dir", OptionKind::path, "DIR",
                     "where the project and the results go (drawhitch-demo, or the first free number behind it)"}},
        .examples = {{"drawhitch demo", "under two minutes, no network, no account"}},
        .handler = run_demo,
    };
}

}  // namespace drawhitch::cli
