#include "cli/pull_view.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "cli/context.hpp"
#include "cli/structure_cell.hpp"
#include "core/plan/home_names.hpp"
#include "flow/pull_follow.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

namespace {

using term::Cell;
using term::Json;

const std::vector<term::Column>& pulled_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "path", .title = "PATH"},
        {.key = "bytes", .title = "SIZE", .align = term::Align::right},
        {.key = "sha256", .title = "SHA256", .machine_only = true},
        {.key = "state", .title = "STATE"},
        {.key = "structure", .title = "STRUCTURE"},
        {.key = "certified", .title = "CERTIFIED"},
        {.key = "unit", .title = "UNIT", .machine_only = true},
        {.key = "class", .title = "CLASS", .machine_only = true},
        {.key = "why", .title = "WHY", .wraps = true},
    };
    return k_columns;
}

std::string_view state_of(const flow::PulledFile& file) {
    return file.planned ? std::string_view{"planned"} : flow::name_of(file.state);
}

bool is_good(const flow::PulledFile& file) {
    return file.certified && file.why.empty();
}

void show_files(term::Output& out, const flow::PullReport& report, bool planned) {
    // People are told what is not as it should be; the rest is a number. Machines get every row.
    const bool all = out.format() != term::Format::table || planned;
    term::RowWriter rows = out.rows("files", pulled_columns());
    for (const flow::PulledFile& file : report.files) {
        if (!all && is_good(file)) continue;
        rows.add({Cell::name(file.entry.path), Cell::bytes(file.entry.size),
                  file.entry.sha256.empty() ? Cell::none() : Cell::text(file.entry.sha256), Cell::text(state_of(file)),
                  structure_cell(file.entry.path, file.structure), Cell::boolean(file.certified),
                  Cell::name(file.entry.unit), Cell::text(model::name_of(file.entry.wanted)),
                  file.why.empty() ? Cell::none() : Cell::text(file.why)});
    }
}

Json receipt_json(const model::Receipt& receipt, WallTime now) {
    std::uint64_t bytes = 0;
    for (const model::ReceiptEntry& entry : receipt.files) {
        bytes += entry.file.size;
    }
    Json json = Json::object();
    json.set("id", receipt.id).set_time("made", receipt.made, now).set("directory", Json::name(receipt.directory));
    return json.set("files", receipt.files.size()).set("bytes", bytes);
}

std::string on_base(const flow::PullTally& tally) {
    if (tally.base_saved == 0) return "";
    return ", " + human_bytes(tally.on_base) + " of it as differences to earlier files (about " +
           human_bytes(tally.base_saved) + " less to send)";
}

void show_summary(Context& context, const flow::PullReport& report) {
    term::Output& out = context.out;
    const auto fetched = std::count_if(report.files.begin(), report.files.end(), [](const flow::PulledFile& f) {
        return f.state == flow::FileState::pulled || f.state == flow::FileState::unsettled;
    });
    const auto kept = std::count_if(report.files.begin(), report.files.end(),
                                    [](const flow::PulledFile& f) { return f.state == flow::FileState::kept; });
    const auto proven = std::count_if(report.units.begin(), report.units.end(),
                                      [](const flow::PulledUnit& u) { return u.proven && !u.rotated; });
    for (const proto::FileEntry& entry : report.left_out) {
        context.op.warn("left on the box: " + printable(plan::work_name(entry.path)) +
                        " is no regular file that can be read");
    }
    for (const flow::PulledUnit& unit : report.units) {
        if (unit.rotated) context.op.note("rotated away while it was pulled: " + printable(unit.name));
    }
    out.text("fetched " + counted(static_cast<std::uint64_t>(fetched), "file") + ", " +
             human_bytes(report.tally.fetched) + on_base(report.tally) + "; " + std::to_string(kept) +
             (kept == 1 ? " was" : " were") + " here already; " + std::to_string(proven) + " of " +
             counted(report.units.size(), "unit") + " proven");
    out.value("directory", "in", Cell::name(report.directory));
    out.value("run", "run", Cell::name(report.run));
    out.json("receipt", report.receipt ? receipt_json(*report.receipt, context.op.clock.wall()) : Json{});
    out.json("wire_bytes", report.tally.wire.sent + report.tally.wire.received);
    out.json("fetched_bytes", report.tally.fetched);
    out.json("base_bytes", report.tally.on_base);
    out.json("base_saved_bytes", report.tally.base_saved);
    out.json("resumed_bytes", report.tally.resumed);
    out.json("repeated_bytes", report.tally.repeated);
    out.json("reconnects", report.tally.reconnects);
}

Json known(const std::optional<double>& number) {
    return number ? Json{*number} : Json{};
}

Json cost_json(const plan::PullCost& cost) {
    Json json = Json::object();
    json.set("bytes", cost.bytes).set("seconds", known(cost.seconds)).set("egress", known(cost.egress));
    json.set("limit", known(cost.limit));
    return json.set("meter", known(cost.meter)).set("currency", cost.currency);
}

void show_planned(term::Output& out, const flow::PullReport& report) {
    out.text("would fetch into " + printable(report.directory) + ": " + plan::cost_line(report.cost) +
             (report.held_bytes == 0
                  ? ""
                  : "; " + human_bytes(report.held_bytes) + " lie there already, from a pull that was interrupted") +
             (report.based_files == 0
                  ? ""
                  : "; " + counted(report.based_files, "file") + " may come as differences to earlier ones"));
    out.json("based_files", report.based_files);
    out.json("held_bytes", report.held_bytes);
    out.json("planned_bytes", report.planned_bytes);
}

void warn_of_gaps(const Context& context, const flow::PullReport& report) {
    if (report.no_roster) {
        context.op.warn("run " + report.run + " has no roster: nobody said what it must leave behind");
    }
    for (const model::RosterItem& item : report.unmatched) {
        const std::string what = "nothing of run " + report.run + " matches \"" + printable(item.pattern) + "\"";
        item.wanted == model::RosterClass::must ? context.op.warn(what) : context.op.note(what);
    }
}

// Nobody may miss that a file of theirs has another name now.
void tell_moved_aside(Context& context, const flow::PullReport& report, bool planned) {
    Json list = Json::array();
    for (const disk::MovedAside& moved : report.moved_aside) {
        list.push(Json::object().set("path", Json::name(moved.path)).set("to", Json::name(moved.to)));
        context.op.warn(printable(moved.path) + " here is not as a pull left it: it " + (planned ? "would be" : "was") +
                        " moved aside to " + printable(moved.to));
    }
    context.out.json("moved_aside", list);
}

// Warned of before the first byte came.
void show_elsewhere(Context& context, const flow::PullReport& report) {
    Json list = Json::array();
    for (const flow::ElsewhereCopy& copy : report.elsewhere)
        list.push(Json::object()
                      .set("directory", Json::name(copy.directory))
                      .set("files", copy.files)
                      .set("bytes", copy.bytes));
    context.out.json("elsewhere", list);
}

// A name that the pull keeps for itself is told once, with all that lies below it.
void tell_renamed(Context& context, const flow::PullReport& report, bool planned) {
    std::map<std::string, std::string> renamed;
    for (const flow::PulledFile& file : report.files) {
        const std::string on_box = plan::work_name(file.entry.path);
        if (on_box == file.entry.path) continue;
        renamed[on_box.substr(0, on_box.find('/'))] = file.entry.path.substr(0, file.entry.path.find('/'));
    }
    Json list = Json::array();
    for (const auto& [on_box, here] : renamed) {
        list.push(Json::object().set("path", Json::name(on_box)).set("to", Json::name(here)));
        context.op.warn("the run's " + printable(on_box) + (planned ? " would be called " : " is called ") +
                        printable(here) + " here: the pull keeps that name for itself");
    }
    context.out.json("renamed", list);
}

// Which directories the pull completed, in its order.
void show_directories(term::Output& out, const flow::PullReport& report) {
    Json list = Json::array();
    for (const plan::PullDirectory& directory : report.directories) {
        std::uint64_t proven = 0;
        for (const std::size_t unit : directory.units)
            if (unit < report.units.size() && report.units[unit].proven && !report.units[unit].rotated) ++proven;
        Json row = Json::object();
        row.set("path", Json::name(directory.path)).set("units", directory.units.size()).set("proven", proven);
        list.push(std::move(row));
    }
    out.json("directories", list);
}

const std::vector<term::Column>& unit_columns() {
    static const std::vector<term::Column> k_columns{
        {.key = "unit", .title = "UNIT"},
        {.key = "files", .title = "FILES", .align = term::Align::right},
        {.key = "bytes", .title = "SIZE", .align = term::Align::right},
        {.key = "proven", .title = "PROVEN"},
        {.key = "rotated", .title = "ROTATED", .machine_only = true},
        {.key = "directory", .title = "IN", .machine_only = true},
        {.key = "at", .title = "AT", .machine_only = true},
        {.key = "why", .title = "WHY", .wraps = true},
    };
    return k_columns;
}

std::string unit_line(const flow::PulledUnit& unit) {
    const std::string size = counted(unit.files, "file") + ", " + human_bytes(unit.bytes);
    if (unit.rotated) return printable(unit.name) + " was rotated away while it was pulled";
    return printable(unit.name) + (unit.proven ? " is proven: " + size : " is not proven: " + unit.why);
}

}  // namespace

Result<flow::FollowReport> follow_shown(Context& context, flow::Deps& deps, const flow::FollowOptions& options) {
    term::Output& out = context.out;
    // Rows of a table wait for the widths of its columns, and nobody waits for these.
    if (out.format() == term::Format::table) {
        return flow::follow_run(context.op, deps, options, [&](const flow::FollowedUnit& followed) {
            out.text(unit_line(followed.unit));
            out.flush();
        });
    }
    term::RowWriter rows = out.rows("units", unit_columns());
    return flow::follow_run(context.op, deps, options, [&](const flow::FollowedUnit& followed) {
        const flow::PulledUnit& unit = followed.unit;
        rows.add({Cell::name(unit.name), Cell::integer(static_cast<std::int64_t>(unit.files)), Cell::bytes(unit.bytes),
                  Cell::boolean(unit.proven), Cell::boolean(unit.rotated), Cell::name(followed.directory),
                  Cell::time(followed.at, context.op.clock.wall()),
                  unit.why.empty() ? Cell::none() : Cell::text(unit.why)});
        out.flush();
    });
}

Json followed_json(const flow::FollowReport& report) {
    Json json = Json::object();
    return json.set("units", report.units).set("bytes", report.bytes).set("wire_bytes", report.wire_bytes);
}

void show_pull(Context& context, const flow::PullReport& report, bool planned) {
    warn_of_gaps(context, report);
    tell_moved_aside(context, report, planned);
    show_elsewhere(context, report);
    tell_renamed(context, report, planned);
    show_files(context.out, report, planned);
    context.out.json("plan", cost_json(report.cost));
    show_directories(context.out, report);
    planned ? show_planned(context.out, report) : show_summary(context, report);
}

}  // namespace drawhitch::cli
