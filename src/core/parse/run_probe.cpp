#include "core/parse/run_probe.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/parse/framed.hpp"
#include "core/parse/run_records.hpp"

namespace drawhitch::parse {

namespace {

using model::ProcessFacts;

constexpr std::uint64_t k_largest = 1ULL << 53U;  // bytes or counts

std::string lower_hex_word(std::string_view text) {
    const bool plain = std::all_of(text.begin(), text.end(),
                                   [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-'; });
    return plain && text.size() <= 64 ? std::string(text) : std::string{};
}

// The fields of /proc/PID/stat behind the name: state, parent, group, session, …, 20 is the start time.
std::optional<ProcessFacts> process_after_name(std::string_view line) {
    const auto words = fields(line);
    if (words.size() < 20 || words[0].size() != 1) return std::nullopt;
    const auto parent = whole_number(words[1]);
    const auto group = signed_number(words[2]);
    const auto session = signed_number(words[3]);
    const auto start = whole_number(words[19]);
    if (!parent || !group || !session || !start) return std::nullopt;
    ProcessFacts process;
    process.state = words[0][0];
    process.parent = static_cast<std::int64_t>(*parent);
    process.group = *group;
    process.session = *session;
    process.cpu_ticks = whole_number(words[11]).value_or(0) + whole_number(words[12]).value_or(0);
    process.start_ticks = *start;
    return process;
}

// A row of the section "processes": pid state parent group session user-ticks system-ticks start-ticks.
std::optional<ProcessFacts> process_row(std::string_view line) {
    const auto words = fields(line);
    if (words.size() != 8 || words[1].size() != 1) return std::nullopt;
    const auto pid = signed_number(words[0]);
    const auto parent = signed_number(words[2]);
    const auto group = signed_number(words[3]);
    const auto session = signed_number(words[4]);
    const auto user = whole_number(words[5]);
    const auto system = whole_number(words[6]);
    const auto start = whole_number(words[7]);
    if (!pid || !parent || !group || !session || !user || !system || !start) return std::nullopt;
    return ProcessFacts{*pid, words[1][0], *parent, *group, *session, *user + *system, *start};
}

// The first field, when it is a number of a sane size.
std::optional<double> first_decimal(std::string_view line) {
    const auto words = fields(line);
    if (words.empty()) return std::nullopt;
    const auto value = decimal(words[0]);
    if (!value || *value > static_cast<double>(k_latest_time)) return std::nullopt;
    return value;
}

// A time or a size that can be true.
std::optional<std::int64_t> sane(std::string_view text) {
    const auto value = whole_number(text);
    if (!value || *value > k_largest) return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

model::BoxState box_state(std::string_view body) {
    model::BoxState box;
    if (const auto now = whole_number(value_of(body, "now").value_or("")); now && *now <= k_latest_time) {
        box.now = static_cast<std::int64_t>(*now);
    }
    box.boot_id = lower_hex_word(value_of(body, "boot_id").value_or(""));
    box.uptime = first_decimal(value_of(body, "uptime").value_or(""));
    box.load = first_decimal(value_of(body, "load").value_or(""));
    if (const auto init = process_after_name(value_of(body, "pid1").value_or(""))) box.pid1_ticks = init->start_ticks;
    if (const auto room = df_line(value_of(body, "bytes").value_or(""))) {
        box.bytes_free = room->free * 1024;
        box.bytes_total = room->total * 1024;
    }
    // Some filesystems have no inode table and say 0 or "-".
    if (const auto room = df_line(value_of(body, "inodes").value_or("")); room && room->total > 0) {
        box.inodes_free = room->free;
        box.inodes_total = room->total;
    }
    return box;
}

void read_log(const Framed& sections, model::RunFacts& facts) {
    const Section* log = sections.find("log:" + facts.name);
    if (log == nullptr || log->rc != 0) return;
    const std::size_t line_end = log->body.find('\n');
    const auto from = whole_number(value_of(log->body.substr(0, line_end), "from").value_or(""));
    if (!from || *from > k_largest) return;
    facts.log_from = static_cast<std::int64_t>(*from);
    if (line_end != std::string::npos) facts.log_bytes = log->body.substr(line_end + 1);
}

model::ArtifactFacts artifact(const Section* section) {
    model::ArtifactFacts facts;
    if (section == nullptr || section->rc != 0) return facts;
    const auto words = fields(trim(section->body));
    if (words.size() != 5) return facts;
    const auto count = whole_number(words[0]);
    const auto bytes = whole_number(words[1]);
    const auto newest = sane(words[2]);
    const auto newer = whole_number(words[3]);
    if (!count || !bytes || !newest || !newer) return facts;
    // A scan that met an error may have missed files: what it found is there, but nothing found proves nothing.
    facts.known = words[4] == "0" || *newer > 0;
    facts.count = *count;
    facts.bytes = *bytes;
    facts.newest = *newest;
    facts.newer = *newer;
    return facts;
}

model::RunFacts run_facts(const Framed& sections, const AskedRun& asked) {
    model::RunFacts facts;
    facts.name = asked.name;
    for (std::size_t i = 0; i < asked.patterns; ++i) {
        facts.artifacts.push_back(artifact(sections.find("artifact:" + asked.name + ":" + std::to_string(i))));
    }
    const Section* section = sections.find("run:" + asked.name);
    if (section == nullptr || section->rc != 0) return facts;
    const std::string_view body = section->body;
    const std::string_view directory = value_of(body, "dir").value_or("");
    if (directory == "absent") facts.directory = model::RunDirectory::absent;
    if (directory == "no-root") facts.directory = model::RunDirectory::no_root;
    if (directory != "present") return facts;
    facts.directory = model::RunDirectory::present;
    facts.claimed = sane(value_of(body, "claimed").value_or(""));
    facts.attempted = value_of(body, "attempt").has_value();
    facts.ended_before = value_of(body, "ended").has_value();
    read_records(body, facts);
    if (facts.start) {
        facts.at_pid = process_after_name(value_of(body, "job").value_or(""));
        if (facts.at_pid) facts.at_pid->pid = facts.start->pid;
        facts.at_wrapper_pid = process_after_name(value_of(body, "wrapper").value_or(""));
        if (facts.at_wrapper_pid) facts.at_wrapper_pid->pid = facts.start->wrapper_pid;
        facts.wrapper_parent = value_of(body, "parent").value_or("").substr(0, 64);
    }
    facts.oom_kills = sane(value_of(body, "oom").value_or(""));
    if (const auto words = fields(value_of(body, "log").value_or("")); words.size() == 2) {
        facts.log_size = sane(words[0]);
        facts.log_mtime = sane(words[1]);
    }
    read_log(sections, facts);
    return facts;
}

void read_processes(const Framed& sections, std::vector<model::RunFacts>& runs) {
    const Section* processes = sections.find("processes");
    const Section* tokens = sections.find("tokens");
    if (processes == nullptr || processes->rc != 0 || tokens == nullptr) return;
    std::vector<ProcessFacts> rows;
    for (std::string_view line : split(processes->body, '\n')) {
        if (const auto row = process_row(line)) rows.push_back(*row);
    }
    for (model::RunFacts& run : runs) {
        run.processes_known = run.directory == model::RunDirectory::present;
        if (!run.start) continue;
        for (const ProcessFacts& row : rows) {
            if (row.group == run.start->pgid || row.session == run.start->pgid) run.members.push_back(row);
        }
        for (std::string_view line : split(tokens->body, '\n')) {
            const auto words = fields(line);
            if (words.size() != 2 || run.start->token.empty() || words[1] != run.start->token) continue;
            if (const auto pid = signed_number(words[0])) run.carriers.push_back(*pid);
        }
    }
}

}  // namespace

void read_records(std::string_view body, model::RunFacts& facts) {
    if (const auto text = value_of(body, "start")) {
        facts.start = start_record(*text);
        if (!facts.start) facts.unreadable_record = true;
    }
    if (const auto text = value_of(body, "exit")) {
        facts.exit = exit_record(*text);
        if (!facts.exit) facts.unreadable_record = true;
    }
}

model::PollFacts run_probe(std::string_view text, std::string_view nonce, const std::vector<AskedRun>& asked) {
    const Framed sections = framed(text, nonce);
    model::PollFacts facts;
    facts.complete = sections.finished;
    if (const Section* box = sections.find("box")) facts.box = box_state(box->body);
    for (const AskedRun& run : asked)
        facts.runs.push_back(run_facts(sections, run));
    read_processes(sections, facts.runs);
    return facts;
}

}  // namespace drawhitch::parse
