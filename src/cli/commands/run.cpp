#include "flow/lease_place.hpp"
#include "flow/run/launch.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/push_view.hpp"
#include "cli/retype.hpp"
#include "cli/run_view.hpp"
#include "cli/workplace.hpp"
#include "core/plan/gpu_list.hpp"
#include "core/plan/wrapper.hpp"
#include "flow/project_check.hpp"
#include "flow/proven_release.hpp"
#include "flow/push.hpp"
#include "flow/run/logs.hpp"
#include "flow/run/watch.hpp"
#include "io/term/output.hpp"
#include "io/term/prompt.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;

constexpr std::int64_t k_most_ranks = 100'000;  // far above what one box runs

// "K=V", or "K" for the laptop's own value, which then stands in no command line.
Status add_variable(Context& context, const Workplace& place, const std::string& text, plan::Variables& variables) {
    const std::size_t at = text.find('=');
    const std::string name = text.substr(0, at);
    if (at != std::string::npos) {
        if (plan::looks_secret(name)) {
            context.op.warn("the value of " + name +
                            " was typed on the command line, where others may see it: set it in "
                            "the environment and write --env " +
                            name);
        }
        variables[name] = text.substr(at + 1);
        return ok();
    }
    const auto value = place.laptop().environment(name);
    if (!value) {
        return Error{Code::usage, "--env " + printable(name) + ": the variable is not set here"}
            .because("without a value it hands on the one of this shell: export it first, or write --env " +
                     printable(name) + "=VALUE")
            .then("drawhitch help run");
    }
    variables[name] = *value;
    return ok();
}

Result<plan::Variables> variables_of(Context& context, const Workplace& place, const Parsed& parsed) {
    const model::EnvRules& rules = place.project().values.env;
    plan::Variables variables = rules.vars;
    for (const std::string& name : rules.pass) {
        if (const auto value = place.laptop().environment(name)) variables[name] = *value;
    }
    for (const std::string& text : parsed.list("env"))
        TRY(add_variable(context, place, text, variables));
    return variables;
}

Result<flow::LaunchOptions> launch_options(Context& context, const Workplace& place, const Parsed& parsed) {
    const model::Project& project = place.project().values;
    flow::LaunchOptions options;
    options.name = parsed.text("name").value_or("");
    if (parsed.given("name") && options.name.empty()) {
        return Error{Code::usage, "--name is empty"}
            .because("perhaps a variable of your shell is not set; without --name the run is numbered")
            .then("drawhitch help run");
    }
    options.command = plan::job_command(parsed.trailing());
    options.roster = project.out;
    for (const std::string& pattern : parsed.list("out"))
        options.roster.push_back({pattern, model::RosterClass::must});
    for (const std::string& pattern : parsed.list("nice"))
        options.roster.push_back({pattern, model::RosterClass::nice});
    options.scratch = parsed.flag("no-outputs");
    if (options.scratch) options.roster.clear();
    TRY_ASSIGN(options.variables, variables_of(context, place, parsed));
    options.activate = parsed.text("activate").value_or(project.env.activate);
    if (const auto gpus = parsed.text("gpus")) {
        TRY_ASSIGN(options.gpus, plan::gpu_list(*gpus));
    }
    options.share_gpus = parsed.flag("share-gpu");
    const std::int64_t ranks = parsed.integer("ranks").value_or(1);
    if (ranks < 1 || ranks > k_most_ranks) {
        return Error{Code::usage, "--ranks " + std::to_string(ranks) + " is no number of processes"}
            .because("it is between 1 and " + std::to_string(k_most_ranks))
            .then("drawhitch help run");
    }
    options.ranks = static_cast<int>(ranks);
    options.unbuffered = !parsed.flag("no-unbuffer");
    return options;
}

// A pattern begins at the work tree, so one that looks like a path of the box names something else.
void warn_of_absolute(Context& context, const std::string& pattern) {
    const std::size_t begin = pattern.find_first_not_of('/');
    if (begin == std::string::npos) return;
    const bool climbs_home = pattern.starts_with("~/");
    const bool deep = begin > 0 && pattern.find('/', begin) != std::string::npos;
    if (!climbs_home && !deep) return;
    context.op.warn("the outputs \"" + printable(pattern) +
                    "\" are looked for inside of the run's work tree, where a path " +
                    (climbs_home ? "of \"~\" is a directory of that name" : "that begins with / begins, too") +
                    "; write it as seen from where the command runs");
}

// The run that was started cannot be started again under its name: what is missing is declared by pulling it.
void warn_of_no_outputs(Context& context, const model::Lease& lease, const model::Run& run) {
    const std::string& box = lease.name;
    if (!flow::anything_dies(lease)) {
        context.op.note("no outputs are declared for run " + run.spec.name + ": `drawhitch pull " + box + " " +
                        run.spec.name + " --out '**'` declares and pulls everything, --out PATTERN what matters");
        return;
    }
    context.op.warn(
        "no outputs are declared for run " + run.spec.name +
        ", so `down` stays closed until they are, whatever was pulled, or until all it wrote is given up by "
        "name: `drawhitch pull " +
        box + " " + run.spec.name +
        " --out '**'` declares and pulls everything; of later runs --out PATTERN says what matters, and "
        "--no-outputs that nothing does");
}

void tell(Context& context, const std::string& box, const flow::LaunchReport& report) {
    for (const std::string& name : report.kept) {
        context.op.warn("\"" + printable(name) + "\" is part of the code, so nothing was linked in its place");
    }
    if (report.found) {
        context.op.note("run " + report.run.spec.name +
                        " had been started by an earlier call that did not end; nothing was started again");
    }
    context.out.json("found", report.found);
    context.out.json("id", report.run.id);
    context.out.value("name", "run", Cell::name(report.run.spec.name));
    context.out.value("code_hash", "code", Cell::text(report.run.spec.code_hash));
    context.out.value("driver", "started with", Cell::text(report.run.spec.driver));
    context.out.value("threads", "threads", Cell::text(report.threads));
    context.out.value("confirmed", "seen to live", Cell::boolean(report.confirmed));
    if (!report.run.spec.activate.empty()) {
        context.out.value("activate", "activated by", Cell::name(report.run.spec.activate));
    }
    const flow::RunView view{report.run, report.verdict, {}};
    show_runs(context.out, box, {view}, context.op.clock.wall(), true);
}

void warn_of_survivors(Context& context, const std::string& box, const flow::RunView& view) {
    if (view.verdict.kind != model::VerdictKind::done_but_up) return;
    const std::string& run = view.run.spec.name;
    context.op.warn("run " + run + " has ended, but " +
                    (view.verdict.evidence.empty() ? "processes of it live on" : "something of it lives on: ") +
                    join(view.verdict.evidence, "; ") + "; `drawhitch stop-run " + box + " " + run +
                    " --strays` ends them");
}

// After the log has ended, the verdict decides how we end.
Result<Outcome> follow(Context& context, Workplace& place, const model::Lease& lease, const std::string& run) {
    flow::LogOptions options;
    options.run = run;
    options.follow = true;
    auto read = flow::read_log(context.op, place.deps(), lease, options, [&](std::string_view line) {
        context.out.text(line);
        context.out.flush();
        return ok();
    });
    if (!read) {
        if (read.error().code == Code::cancelled) context.op.note("stopped following; run " + run + " goes on");
        return std::move(read).error();
    }
    flow::WatchOptions watch;
    watch.run = run;
    watch.once = true;
    TRY_ASSIGN(const auto view, flow::watch_runs(context.op, place.deps(), lease, watch, [](const auto&, bool) {}));
    for (const flow::RunView& row : view.runs)
        context.op.note(run_line(row));
    if (auto failed = job_error(lease.name, view.runs)) return std::move(*failed);
    for (const flow::RunView& row : view.runs)
        warn_of_survivors(context, lease.name, row);
    Outcome outcome{.exit = flow::exit_code_of(view.runs), .next = {}};
    const bool wanted = std::ranges::none_of(view.runs, [](const auto& row) { return row.run.spec.scratch; });
    if (wanted) outcome.next.push_back("drawhitch pull " + lease.name + " " + run);
    return outcome;
}

// The right project, and a box that is not on its way out.
Status check_where(Context& context, Workplace& place, const Parsed& parsed, const model::Lease& lease) {
    if (lease.state == model::LeaseState::unconfirmed && !context.globals.dry_run) {
        const std::string what = "the end of " + lease.name + " was asked for and is not proven";
        TRY_ASSIGN(const bool agreed, place.deps().prompt.yes_no(context.op, what + "; start a run there all the same?",
                                                                 "drawhitch lease close " + lease.name));
        if (!agreed) {
            return Error{Code::usage, what + "; nothing was started"}
                .because(
                    "the box may vanish with what the run writes; `drawhitch adopt` under another name begins anew")
                .then("drawhitch lease close " + lease.name);
        }
    }
    const auto elsewhere = [&](const std::string& directory) {
        return retyped(parsed, lease.name, "directory", directory).value_or("");
    };
    return flow::check_project(context.op, place.deps(), lease,
                               {.sends_code = !parsed.flag("no-push"), .in_directory = elsewhere});
}

Result<Outcome> run_run(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto here, place->target(parsed));
    const model::Lease& lease = here.lease;
    TRY_ASSIGN(auto options, launch_options(context, *place, parsed));
    options.under_name = [&](const std::string& name) {
        return retyped(parsed, lease.name, "name", name).value_or("");
    };
    if (parsed.flag("no-outputs") && (parsed.given("out") || parsed.given("nice"))) {
        return Error{Code::usage, "--no-outputs says that nobody needs what --out and --nice name"}.then(
            "drawhitch help run");
    }
    TRY(flow::check_launch(place->deps(), lease, options));
    TRY(check_where(context, *place, parsed, lease));
    for (const model::RosterItem& item : options.roster)
        warn_of_absolute(context, item.pattern);
    if (context.globals.dry_run) {
        TRY_ASSIGN(const std::string wrapper, flow::launch_preview(lease, options));
        context.out.raw(wrapper);
        context.out.json("wrapper", term::Json::name(wrapper));
        return Outcome{};
    }
    if (!parsed.flag("no-push")) {
        TRY_ASSIGN(const auto pushed, flow::push(context.op, place->deps(), {.box = lease.name, .as_before = true}));
        options.release = pushed.hash;
        tell_what_stays(context.op, context.out, pushed.tree);
        if (pushed.fixed_as_before && !pushed.tree.flawed.empty()) {
            context.op.note(
                "scripts were repaired as by the last push, which had --fix-eol; `fix_eol = true` under [push] in "
                "drawhitch.toml makes it the project's rule");
        }
    } else {
        TRY_ASSIGN(options.release, flow::proven_release(context.op, place->deps(), lease));
    }
    // Pushing may have learned where the box's root is.
    TRY_ASSIGN(const model::Lease current, place->ledger().lease(lease.id));
    TRY_ASSIGN(const auto report, flow::launch(context.op, place->deps(), current, options));
    tell(context, lease.name, report);
    if (report.run.spec.roster.empty() && !report.run.spec.scratch) {
        warn_of_no_outputs(context, lease, report.run);
    }
    if (parsed.flag("follow")) return follow(context, *place, current, report.run.spec.name);
    const std::vector<flow::RunView> views{{report.run, report.verdict, {}}};
    if (model::is_terminal(report.verdict.kind)) {
        if (auto failed = job_error(lease.name, views)) return std::move(*failed);
    }
    Outcome outcome;
    outcome.next = {"drawhitch watch " + lease.name + " " + report.run.spec.name,
                    "drawhitch logs " + lease.name + " " + report.run.spec.name + " -f"};
    return outcome;
}

}  // namespace

CommandRow run_command() {
    return CommandRow{
        .verb = "run",
        .aliases = {"launch"},
        .group = Group::life_cycle,
        .summary = "start a job that outlives the connection",
        .description =
            "Pushes the code if it differs, gives the run a work tree of its own, starts the command\n"
            "detached and confirms from a second connection that it lives. Nothing starts twice: a name\n"
            "is claimed once, and a launch whose answer was lost is found again by ps.\n"
            "\n"
            "Several words after -- are the program and its arguments, exactly; a single word is a line for\n"
            "the box's shell, as for exec.\n"
            "\n"
            "Output goes to the run's log, input is empty. Python writes unbuffered, and thread pools are\n"
            "sized to the box's CPU share, divided by live runs and ranks; a variable of your own wins.\n"
            "The run's record keeps values of harmless variables and salted hashes of all others. It keeps\n"
            "the command as typed, so one with a token in it is refused: export the token here and hand it\n"
            "on, with --env HF_TOKEN or `[env] pass = [\"HF_TOKEN\"]` in drawhitch.toml.",
        .positionals = {{.name = "BOX", .help = "a name from ls", .box_optional = true}},
        .options =
            {
                {.names = "--name",
                 .kind = OptionKind::text,
                 .metavar = "RUN",
                 .help = "the run's name, at most 100 bytes (r1, r2 …)"},
                {.names = "-o,--out",
                 .kind = OptionKind::list,
                 .metavar = "PATTERN",
                 .help = "files it must leave behind, beside those of drawhitch.toml"},
                {.names = "--nice",
                 .kind = OptionKind::list,
                 .metavar = "PATTERN",
                 .help = "files worth pulling that may be missing"},
                {.names = "--no-outputs", .help = "nobody needs what it leaves behind"},
                {.names = "-e,--env",
                 .kind = OptionKind::list,
                 .metavar = "NAME[=VALUE]",
                 .help = "set a variable; without a value, pass on the one set here"},
                {.names = "--activate",
                 .kind = OptionKind::text,
                 .metavar = "LINE",
                 .help = "shell line that activates the environment"},
                {.names = "--gpus",
                 .kind = OptionKind::text,
                 .metavar = "LIST",
                 .help = "only these GPUs, as in 0,1 or 0-3"},
                {.names = "--share-gpu", .help = "use GPUs that another run has, too"},
                {.names = "--ranks",
                 .kind = OptionKind::integer,
                 .metavar = "N",
                 .help = "processes the command starts, for the thread share"},
                {.names = "--no-unbuffer", .help = "leave PYTHONUNBUFFERED alone"},
                {.names = "--no-push", .help = "run what was pushed last, if it is still that"},
                {.names = "-f,--follow", .help = "show the log until the run ends; Ctrl-C stops showing, not the run"},
            },
        .trailing = "COMMAND [ARG…]",
        .trailing_required = true,
        .examples = {{"drawhitch run b1 --out 'ckpt/*.safetensors' -- python train.py", "train, keep the checkpoints"},
                     {"drawhitch run b1 --name lr3 --gpus 0,1 -- torchrun --nproc-per-node 2 train.py", "on two GPUs"}},
        .handler = run_run,
    };
}

}  // namespace drawhitch::cli
