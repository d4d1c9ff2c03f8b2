#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/exit_code.hpp"
#include "cli/limit_view.hpp"
#include "cli/push_view.hpp"
#include "cli/retype.hpp"
#include "cli/workplace.hpp"
#include "flow/project_check.hpp"
#include "flow/push.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;
using term::Json;

constexpr std::size_t k_biggest_shown = 10;

const std::vector<term::Column>& pushed_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "path", .title = "PATH"},
        {.key = "bytes", .title = "SIZE", .align = term::Align::right},
    };
    return k_columns;
}

// All files for machines, the largest for people.
void show_plan(term::Output& out, const flow::LocalTree& tree) {
    std::vector<const proto::FileEntry*> files;
    for (const proto::FileEntry& entry : tree.entries) {
        if (entry.type == proto::FileType::file) files.push_back(&entry);
    }
    const bool people = out.format() == term::Format::table;
    if (people) {
        std::stable_sort(files.begin(), files.end(), [](const auto* a, const auto* b) { return a->size > b->size; });
    }
    const std::size_t shown = people ? std::min(files.size(), k_biggest_shown) : files.size();
    term::RowWriter rows = out.rows("files", pushed_columns());
    for (std::size_t i = 0; i < shown; ++i) {
        rows.add({Cell::name(files[i]->path), Cell::bytes(files[i]->size)});
    }
    rows.finish();
    if (shown < files.size())
        out.text("and " + std::to_string(files.size() - shown) +
                 (files.size() - shown == 1 ? " smaller one" : " smaller ones"));
}

void show_result(term::Output& out, const flow::PushReport& report) {
    const std::string name = report.hash.substr(0, 12);
    if (report.up_to_date) {
        out.text("nothing to do: release " + name + " is in force and proven equal");
    } else {
        out.text("release " + name + " is in force: " + counted(report.sent_files, "file") + " sent (" +
                 human_bytes(report.sent_bytes) + "), " + std::to_string(report.linked_files) +
                 " taken over from the last one");
    }
    if (!report.pruned.empty()) out.text("removed " + counted(report.pruned.size(), "old release"));
    out.json("up_to_date", report.up_to_date);
    out.json("directory", Json::name(report.directory));
    out.json("sent_files", report.sent_files);
    out.json("sent_bytes", report.sent_bytes);
    out.json("linked_files", report.linked_files);
    out.json("wire_bytes", report.wire.sent + report.wire.received);
    Json pruned = Json::array();
    for (const std::string& hash : report.pruned) {
        pruned.push(hash);
    }
    out.json("pruned", pruned);
    Json kept = Json::array();
    for (const flow::KeptRelease& release : report.kept) {
        kept.push(Json::object()
                      .set("directory", Json::name(release.directory))
                      .set("bytes", release.bytes)
                      .set("why", release.why));
    }
    out.json("kept", kept);
}

Result<Outcome> run_push(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const auto place, Workplace::open(context));
    if (const auto limit = parsed.text("limit")) TRY(place->limit_bandwidth(*limit));
    TRY_ASSIGN(const auto target, place->target(parsed));
    flow::PushOptions options{};
    options.box = target.lease.name;
    options.fix_eol = parsed.flag("fix-eol");
    options.max_size = parsed.bytes("max-size");
    options.rehash = parsed.flag("rehash");
    const auto elsewhere = [&](const std::string& directory) {
        return retyped(parsed, options.box, "directory", directory).value_or("");
    };
    TRY(flow::check_project(context.op, place->deps(), target.lease, {.in_directory = elsewhere}));
    TRY_ASSIGN(const auto report, flow::push(context.op, place->deps(), options));
    context.out.json("hash", report.hash);
    context.out.json("tree_files", report.tree.files);
    context.out.json("tree_bytes", report.tree.bytes);
    if (report.planned) {
        show_plan(context.out, report.tree);
        context.out.text("would push " + counted(report.tree.files, "file") + ", " + human_bytes(report.tree.bytes) +
                         ", less what " + target.lease.name + " has already" +
                         limited(place->deps(), report.tree.bytes));
        context.out.json("limit", limit_json(place->deps()));
    } else {
        show_result(context.out, report);
    }
    tell_what_stays(context.op, context.out, report.tree);
    return Outcome{.exit = report.tree.left_out.empty() ? exit_code::k_ok : exit_code::k_skipped, .next = {}};
}

}  // namespace

CommandRow push_command() {
    return CommandRow{
        .verb = "push",
        .aliases = {"deploy"},
        .group = Group::life_cycle,
        .summary = "put the project's code on a box, as a release that never changes",
        .description =
            "Takes what .gitignore, .drawhitchignore and the project's excludes leave, holds back what\n"
            "looks like a secret, sends what the box lacks, and puts the release in force only when the\n"
            "box hashes the finished tree to the same value. Runs keep the release they were started\n"
            "from. An interrupted push is finished by the next one.\n"
            "\n"
            "A file that is held back does not change the exit code, which is 0 when all else arrived: it\n"
            "is named, and lies in no release. [push] allow_secrets = [\"NAME\"] in drawhitch.toml lets it go.\n"
            "[push] fix_eol = true is --fix-eol for good. Without it, run repairs what the last push did.",
        .positionals = {{.name = "BOX", .help = "a name from ls", .box_optional = true}},
        .options = {{"--fix-eol", OptionKind::flag, "",
                     "repair line ends, byte order marks and execute bits of scripts in what is pushed"},
                    {"--max-size", OptionKind::bytes, "SIZE", "ask only above this size"},
                    {"--limit", OptionKind::text, "RATE",
                     "at most so much: 20M or 500k (bytes a second), 160mbit, none"},
                    {"--rehash", OptionKind::flag, "", "let the box read its release again, whatever its cache says"}},
        .examples = {{"drawhitch push b1", "send what changed"},
                     {"drawhitch push -n", "what would go, what is held back, and how much it is"}},
        .handler = run_push,
    };
}

}  // namespace drawhitch::cli
