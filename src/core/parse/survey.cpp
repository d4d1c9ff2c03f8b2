#include "core/parse/survey.hpp"

#include "base/text.hpp"
#include "core/parse/framed.hpp"

namespace drawhitch::parse {

namespace {

constexpr std::uint64_t k_most_hertz = 1'000'000;

std::optional<std::uint64_t> number_of(const Section& section, std::string_view key, std::uint64_t most) {
    const auto value = whole_number(value_of(section.body, key).value_or(""));
    if (!value || *value > most) return std::nullopt;
    return value;
}

// "PID PARENT STATE TICKS OURS"
std::optional<model::BoxProcess> process_line(std::string_view line, std::uint64_t booted, std::uint64_t hertz) {
    const auto words = fields(line);
    if (words.size() != 5 || words[2].size() != 1) return std::nullopt;
    const auto pid = whole_number(words[0]);
    const auto parent = whole_number(words[1]);
    const auto ticks = whole_number(words[3]);
    if (!pid || !parent || !ticks || *pid > k_latest_time || *parent > k_latest_time || *ticks / hertz > k_latest_time)
        return std::nullopt;
    model::BoxProcess process{};
    process.pid = static_cast<std::int64_t>(*pid);
    process.parent = static_cast<std::int64_t>(*parent);
    process.zombie = words[2] == "Z" || words[2] == "X";
    process.started.seconds = static_cast<std::int64_t>(booted + *ticks / hertz);
    process.survey = words[4] == "1";
    return process;
}

bool read_processes(const Section& section, std::uint64_t hertz, model::ProcessSurvey& survey) {
    const auto booted = static_cast<std::uint64_t>(survey.booted.seconds);
    for (const std::string_view line : split(section.body, '\n')) {
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view key = line.substr(0, equals);
        const std::string value{line.substr(equals + 1)};
        if (key == "process") {
            const auto process = process_line(value, booted, hertz);
            if (!process) return false;
            survey.processes.push_back(*process);
            continue;
        }
        if (survey.processes.empty()) return false;
        model::BoxProcess& process = survey.processes.back();
        if (key == "name") process.name = value;
        if (key == "script") process.script = value;
        if (key == "token") process.token = value;
        if (key == "writes" && value.starts_with('/')) process.writes.push_back(value);
        if (key == "exe") process.program = value;
        if (key == "cwd") process.directory = value.starts_with('/') ? value : std::string{};
    }
    return true;
}

}  // namespace

model::ProcessSurvey survey(std::string_view text, std::string_view nonce) {
    model::ProcessSurvey result{};
    const Framed sections = framed(text, nonce);
    const Section* box = sections.find("box");
    const Section* processes = sections.find("processes");
    if (box == nullptr || processes == nullptr || !sections.finished) return result;
    const auto booted = number_of(*box, "booted", k_latest_time);
    const auto hertz = number_of(*box, "hertz", k_most_hertz);
    const auto now = number_of(*box, "now", k_latest_time);
    if (!booted || !hertz || *hertz == 0 || !now) return result;
    result.booted.seconds = static_cast<std::int64_t>(*booted);
    result.now.seconds = static_cast<std::int64_t>(*now);
    result.home = value_of(box->body, "home").value_or("");
    const bool read = read_processes(*processes, *hertz, result);
    result.complete = read && processes->rc == 0;
    return result;
}

}  // namespace drawhitch::parse
