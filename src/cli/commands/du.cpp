#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/exit_code.hpp"
#include "cli/workplace.hpp"
#include "flow/du.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Align;
using term::Cell;

constexpr std::int64_t k_deepest = 64;
constexpr std::int64_t k_most_rows = 100'000;

const std::vector<term::Column>& mount_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "mount", .title = "MOUNT", .apart = true},
        {.key = "type", .title = "TYPE"},
        {.key = "device", .title = "DEVICE", .drops = 2},
        {.key = "bytes_total", .title = "SIZE", .align = Align::right},
        {.key = "bytes_used", .title = "USED", .align = Align::right, .drops = 3},
        {.key = "bytes_free", .title = "FREE", .align = Align::right},
        {.key = "inodes_total", .machine_only = true},
        {.key = "inodes_used", .title = "INODES", .align = Align::right, .drops = 4},
        {.key = "inodes_free", .title = "FREE", .align = Align::right, .drops = 1},
        {.key = "tier", .title = "TIER"},
        {.key = "survives_stop", .title = "AFTER STOP"},
        {.key = "survives_down", .title = "AFTER DOWN"},
    };
    return k_columns;
}

const std::vector<term::Column>& usage_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "path", .title = "PATH", .apart = true},
        {.key = "allocated", .title = "ON DISK", .align = Align::right},
        {.key = "apparent", .title = "CONTENT", .align = Align::right},
        {.key = "entries", .title = "ENTRIES", .align = Align::right},
        {.key = "inodes", .title = "INODES", .align = Align::right, .drops = 3},
        {.key = "unreadable", .title = "UNREAD", .align = Align::right, .drops = 2},
        {.key = "mount", .title = "MOUNT", .drops = 1},
        {.key = "tier", .title = "TIER"},
        {.key = "survives_stop", .machine_only = true},
        {.key = "survives_down", .machine_only = true},
        {.key = "asked", .title = "ASKED AS", .drops = 4},
        {.key = "place", .machine_only = true},
    };
    return k_columns;
}

const std::vector<term::Column>& missed_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "path", .title = "NOT READ", .apart = true},
        {.key = "why", .title = "WHY", .wraps = true},
    };
    return k_columns;
}

Cell bytes_cell(const std::optional<std::uint64_t>& count) {
    return count ? Cell::bytes(*count) : Cell::none();
}

Cell number_cell(const std::optional<std::uint64_t>& count) {
    return count ? Cell::integer(static_cast<std::int64_t>(*count)) : Cell::none();
}

Cell name_cell(const std::string& name) {
    return name.empty() ? Cell::none() : Cell::name(name);
}

Cell fate_cell(const std::optional<bool>& survives) {
    return survives ? Cell::value(term::Json{*survives}, *survives ? "kept" : "lost") : Cell::none();
}

std::optional<std::uint64_t> used(const std::optional<std::uint64_t>& total, const std::optional<std::uint64_t>& free) {
    if (!total || !free) return std::nullopt;
    return *total - std::min(*total, *free);
}

void show_mounts(Context& context, const flow::DuReport& report) {
    term::RowWriter rows = context.out.rows("mounts", mount_columns());
    for (const flow::DuMount& mount : report.mounts) {
        rows.add({Cell::name(mount.point), name_cell(mount.type), name_cell(mount.source),
                  bytes_cell(mount.bytes_total), bytes_cell(used(mount.bytes_total, mount.bytes_free)),
                  bytes_cell(mount.bytes_free), number_cell(mount.inodes_total),
                  number_cell(used(mount.inodes_total, mount.inodes_free)), number_cell(mount.inodes_free),
                  name_cell(mount.tier.name), fate_cell(mount.tier.survives_stop),
                  fate_cell(mount.tier.survives_down)});
    }
}

void show_usage(Context& context, const flow::DuReport& report) {
    term::RowWriter rows = context.out.rows("usage", usage_columns());
    for (const flow::DuRow& row : report.rows) {
        rows.add({Cell::name(row.path), Cell::bytes(row.usage.allocated), Cell::bytes(row.usage.apparent),
                  number_cell(row.usage.entries), number_cell(row.usage.inodes), number_cell(row.usage.unreadable),
                  name_cell(row.mount), name_cell(row.tier.name), fate_cell(row.tier.survives_stop),
                  fate_cell(row.tier.survives_down), name_cell(row.asked), Cell::boolean(row.place)});
    }
}

void show_missed(Context& context, const flow::DuReport& report) {
    context.out.json("unreadable", report.missed_count);
    if (report.missed.empty() && !context.out.for_machines()) return;
    if (!context.out.for_machines()) context.out.text("");
    {
        term::RowWriter rows = context.out.rows("missed", missed_columns());
        for (const flow::DuMissed& missed : report.missed)
            rows.add({Cell::name(missed.path), Cell::text(missed.why)});
    }
    if (report.missed_count > report.missed.size()) {
        context.op.note("and " + counted(report.missed_count - report.missed.size(), "more entry") +
                        " that could not be read");
    }
}

Result<std::int64_t> within(const Parsed& parsed, std::string_view key, std::int64_t usual, std::int64_t most) {
    const std::int64_t number = parsed.integer(key).value_or(usual);
    if (number >= 0 && number <= most) return number;
    return Error{Code::usage, "--" + std::string{key} + " takes a number from 0 to " + std::to_string(most)};
}

Result<Outcome> run_du(Context& context, const Parsed& parsed) {
    TRY_ASSIGN(const std::int64_t depth, within(parsed, "depth", 1, k_deepest));
    TRY_ASSIGN(const std::int64_t top, within(parsed, "top", 20, k_most_rows));
    TRY_ASSIGN(const auto place, Workplace::open_to_look(context));
    TRY_ASSIGN(const auto here, place->target(parsed));
    flow::DuOptions options{};
    options.paths = here.rest.many("PATH");
    options.depth = static_cast<std::uint32_t>(depth);
    options.top = static_cast<std::size_t>(top);
    TRY_ASSIGN(const flow::DuReport report, flow::du(context.op, place->deps(), here.lease, options));
    show_mounts(context, report);
    if (!context.out.for_machines()) context.out.text("");
    show_usage(context, report);
    show_missed(context, report);
    context.out.json("left_out", report.left_out);
    if (report.left_out > 0)
        context.op.note(counted(report.left_out, "smaller directory", "smaller directories") +
                        " not told: --top shows more");
    for (const std::string& note : report.notes)
        context.op.note(note);
    return Outcome{.exit = report.missed_count == 0 ? exit_code::k_ok : exit_code::k_skipped, .next = {}};
}

}  // namespace

CommandRow du_command() {
    return CommandRow{
        .verb = "du",
        .group = Group::inspect,
        .summary = "show where the bytes and inodes of a box lie, by mount",
        .description =
            "First the mounts: how large and how full each is, in bytes and in inodes, which storage tier\n"
            "of the profile lies there, and whether that outlives a stop and the end of the rental. Then\n"
            "what each PATH holds and its largest directories. A file system mounted below a path is a row\n"
            "of its own and never part of the sum around it; links are followed in PATH itself and\n"
            "nowhere else; a file of several names counts once. Without PATH: the\n"
            "project's directory, the home with its caches, and the profile's tiers, but for a tier that is\n"
            "the whole machine: ask for / then. What may not be read is named, and the exit code is 3.",
        .positionals = {{.name = "BOX", .help = "a name from ls", .arity = Arity::optional, .box_optional = true},
                        {.name = "PATH", .help = "absolute, or from the home on the box", .arity = Arity::any}},
        .options = {{"--depth", OptionKind::integer, "N", "how deep directories are shown one by one (1)"},
                    {"--top", OptionKind::integer, "N", "the N largest directories of each path (20)"}},
        .examples = {{"drawhitch du b1", "what fills the box, and what of it dies with it"},
                     {"drawhitch du b1 /workspace --depth 2 --top 5", "the largest directories, two levels deep"},
                     {"drawhitch du b1 .cache --json", "for scripts"}},
        .handler = run_du,
    };
}

}  // namespace drawhitch::cli
