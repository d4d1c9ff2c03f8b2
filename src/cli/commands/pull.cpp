#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/pull_view.hpp"
#include "cli/retype.hpp"
#include "cli/workplace.hpp"
#include "flow/lease_word.hpp"
#include "flow/project_check.hpp"
#include "flow/pull_follow.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

std::optional<parse::NameRules> name_rules(std::string_view word) {
    if (word == "linux") return parse::NameRules{};
    if (word == "macos") return parse::NameRules{.ignores_case = true, .ignores_unicode_form = true};
    if (word == "windows") return parse::NameRules{.ignores_case = true};
    return std::nullopt;
}

// The word behind BOX names a run if there is one of that name; what looks like a pattern is one.
Result<flow::PullOptions> pull_options(Context& context, const Parsed& parsed, Workplace& place,
                                       const Workplace::Target& target) {
    flow::PullOptions options{};
    options.box = flow::word_of(target.lease);
    options.patterns = target.rest.many("PATTERN");
    if (const auto word = target.rest.one("RUN")) {
        const bool is_run = place.ledger().run_by_name(target.lease.id, *word).has_value();
        const bool is_pattern = word->find_first_of("*?[/.") != std::string::npos;
        if (is_run || !is_pattern) {
            options.run = *word;
        } else {
            options.patterns.insert(options.patterns.begin(), *word);
        }
    }
    for (const std::string& name : parsed.list("class")) {
        const auto wanted = model::roster_class(name);
        if (!wanted) return Error{Code::usage, "--class is must, nice or scratch, not " + printable(name)};
        options.classes.push_back(*wanted);
    }
    for (const std::string& pattern : parsed.list("out"))
        options.declare.push_back({pattern, model::RosterClass::must});
    const std::int64_t newest = parsed.integer("newest").value_or(0);
    if (newest < (parsed.integer("newest") ? 1 : 0) || newest > 1'000'000)
        return Error{Code::usage, "--newest takes a number from 1 up"};
    options.newest = static_cast<int>(newest);
    if (const auto to = parsed.text("to")) options.to = to->starts_with('/') ? *to : context.directory + "/" + *to;
    options.first = parsed.list("first");
    options.all = parsed.flag("all");
    options.rehash = parsed.flag("rehash");
    options.names = name_rules(parsed.text("local-fs").value_or("auto"));
    return options;
}

// One project's results must not land in another directory only because the command was typed there.
Status check_place(Context& context, Workplace& place, const Parsed& parsed, const Workplace::Target& target) {
    std::vector<std::string> words = target.rest.many("PATTERN");
    if (const auto run = target.rest.one("RUN")) words.insert(words.begin(), *run);
    const auto elsewhere = [&](const std::string& directory) {
        return retyped(parsed, flow::word_of(target.lease), "directory", directory, words).value_or("");
    };
    return flow::check_project(context.op, place.deps(), target.lease,
                               {.sends_code = false, .lands_files = true, .in_directory = elsewhere});
}

Result<Outcome> outcome_of(const flow::PullReport& report) {
    if (report.problem) return *report.problem;
    return Outcome{.exit = 0, .next = {"drawhitch verify " + shell_word(report.directory)}};
}

Result<Outcome> follow(Context& context, Workplace& place, flow::FollowOptions options) {
    context.out.stream_lines();
    const auto report = follow_shown(context, place.deps(), options);
    if (!report) {
        if (report.error().code == Code::cancelled)
            context.op.note("stopped following; the run goes on, and what was proven stays so");
        return report.error();
    }
    show_pull(context, report->last, false);
    context.out.json("followed", followed_json(*report));
    return outcome_of(report->last);
}

Result<flow::FollowOptions> follow_options(const Parsed& parsed, flow::PullOptions options, milliseconds usual) {
    flow::FollowOptions follow{.pull = std::move(options)};
    follow.every = parsed.duration("every").value_or(usual);
    follow.give_up = parsed.duration("give-up").value_or(follow.give_up);
    if (follow.every < milliseconds{1000}) return Error{Code::usage, "--every is at least one second"};
    return follow;
}

Result<Outcome> run_pull(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    if (const auto limit = parsed.text("limit")) TRY(place->limit_bandwidth(*limit));
    TRY_ASSIGN(const auto target, place->target_to_read(parsed));
    TRY_ASSIGN(const auto options, pull_options(context, parsed, *place, target));
    if (options.to.empty()) TRY(check_place(context, *place, parsed, target));
    const bool follows = parsed.flag("follow");
    if (!follows && (parsed.duration("every") || parsed.duration("give-up")))
        return Error{Code::usage, "--every and --give-up are about --follow"};
    if (follows && !place->deps().dry_run) {
        TRY_ASSIGN(auto following, follow_options(parsed, options, place->poll_interval(target.lease)));
        return follow(context, *place, std::move(following));
    }
    TRY_ASSIGN(const auto report, flow::pull(context.op, place->deps(), options));
    const bool planned = place->deps().dry_run;
    show_pull(context, report, planned);
    if (planned) return Outcome{};
    return outcome_of(report);
}

}  // namespace

CommandRow pull_command() {
    return CommandRow{
        .verb = "pull",
        .group = Group::life_cycle,
        .summary = "bring home what a run has made, and prove that it arrived whole",
        .description =
            "Fetches the files of the run's roster, its log and its record; what is here already and\n"
            "equal is kept. Every byte is hashed on both sides, every archive is checked for wholeness,\n"
            "and what is proven goes into a receipt, unit by unit (a checkpoint directory is one unit).\n"
            "Each directory is proven and receipted as soon as it is complete, whatever becomes of the\n"
            "others. An interrupted pull is taken up again by the same command. MANIFEST.json and SHA256SUMS\n"
            "lie beside the files. A file of yours under a name that the box has too (edited since the\n"
            "last pull, or never pulled) is moved aside to NAME.kept-1, and told; where no pull of the\n"
            "run worked before, the pull is refused instead. A file of the run's that is called as one of\n"
            "the pull's own (MANIFEST.json, SHA256SUMS, .drawhitch, _run) gets the ending .box here.\n"
            "\n"
            "With --follow it goes on until the run has ended, for boxes that may vanish: each unit comes\n"
            "as soon as it is whole, half-written ones wait. --json has one object a line then. Ctrl-C ends\n"
            "it (130), and the same command goes on.\n"
            "\n"
            "A run that was launched without --out is declared here: --out adds to its roster for good,\n"
            "and '**' means all that it made.",
        .positionals = {{.name = "BOX", .help = "a name from ls, or BOX@LEASE of an ended one", .box_optional = true},
                        {.name = "RUN", .help = "a name from ps; the newest run if left out", .arity = Arity::optional},
                        {.name = "PATTERN",
                         .help = "only units with a file that matches, as in the roster",
                         .arity = Arity::any}},
        .options = {{"--to", OptionKind::path, "DIR", "where the files go (pulls/BOX/RUN in the project)"},
                    {"--out", OptionKind::list, "PATTERN", "declare now what the run must leave behind, and pull it"},
                    {"--newest", OptionKind::integer, "N",
                     "the N newest units of PATTERN; else of each numbered series"},
                    {"--first", OptionKind::list, "PATTERN", "directories with such a file are brought before others"},
                    {"--class", OptionKind::list, "CLASS", "must, nice or scratch; must and nice if left out"},
                    {"--all", OptionKind::flag, "", "every file of the run's directory, whatever its roster says"},
                    {"--follow", OptionKind::flag, "", "bring what settles while the run goes on, until it has ended"},
                    {"--every", OptionKind::duration, "TIME", "between two looks of --follow (connection.poll_s)"},
                    {"--give-up", OptionKind::duration, "TIME", "how long --follow waits for a silent box (10m)"},
                    {"--rehash", OptionKind::flag, "", "let the box read again what its digest cache knows"},
                    {"--limit", OptionKind::text, "RATE",
                     "at most so much: 20M or 500k (bytes a second), 160mbit, none"},
                    {"--local-fs", OptionKind::text, "KIND", "how names behave where files land (auto)",
                     "auto|linux|macos|windows"}},
        .examples = {{"drawhitch pull b1 r1", "everything the run must leave behind"},
                     {"drawhitch pull b1 r1 'best/**' --newest 1", "the best model alone"},
                     {"drawhitch pull b1 r1 --out 'ckpt/**'", "r1 was launched without saying what to keep"},
                     {"drawhitch pull b1 r1 --first best/", "everything, the best model before the rest"},
                     {"drawhitch pull b1 r1 --follow", "each checkpoint as soon as it is whole, and all in the end"},
                     {"drawhitch pull b1 -n", "what would come, how long it takes and what it costs"}},
        .handler = run_pull,
    };
}

}  // namespace drawhitch::cli
