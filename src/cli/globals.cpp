#include "cli/globals.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.hpp"
#include "cli/parsed.hpp"

namespace drawhitch::cli {

Environment process_environment() {
    return [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>{value};
    };
}

const std::vector<OptionRow>& global_rows() {
    static const std::vector<OptionRow> k_rows{
        {.names = "--json", .help = "one JSON object on standard output", .environment = "DRAWHITCH_JSON"},
        {.names = "--jsonl", .help = "one JSON object per line, as things happen", .environment = "DRAWHITCH_JSONL"},
        {.names = "-q,--quiet", .help = "only warnings and errors on standard error", .environment = "DRAWHITCH_QUIET"},
        {.names = "-v,--verbose", .help = "say more; repeat for still more", .environment = "DRAWHITCH_VERBOSE"},
        {.names = "--color",
         .kind = OptionKind::text,
         .metavar = "WHEN",
         .help = "auto, always or never",
         .choices = "auto|always|never",
         .environment = "DRAWHITCH_COLOR"},
        {.names = "--no-input",
         .help = "never ask; fail and name the flag instead",
         .environment = "DRAWHITCH_NO_INPUT"},
        {.names = "-y,--yes",
         .help = "answer yes to y/N questions; opens no closed gate",
         .environment = "DRAWHITCH_YES"},
        {.names = "-n,--dry-run", .help = "show what would be done, do nothing", .environment = "DRAWHITCH_DRY_RUN"},
        {.names = "--profile",
         .kind = OptionKind::text,
         .metavar = "NAME",
         .help = "the platform profile to use",
         .environment = "DRAWHITCH_PROFILE"},
        {.names = "-C,--directory",
         .kind = OptionKind::path,
         .metavar = "DIR",
         .help = "work as if started in DIR",
         .environment = "DRAWHITCH_DIRECTORY"},
        {.names = "--timeout",
         .kind = OptionKind::duration,
         .metavar = "TIME",
         .help = "give up after this long (90s, 5m, 2h); exit code 124",
         .environment = "DRAWHITCH_TIMEOUT"},
        {.names = "--config",
         .kind = OptionKind::path,
         .metavar = "FILE",
         .help = "the user's configuration file",
         .environment = "DRAWHITCH_CONFIG"},
        {.names = "--log-file",
         .kind = OptionKind::path,
         .metavar = "FILE",
         .help = "append everything that happens to FILE",
         .environment = "DRAWHITCH_LOG_FILE"},
        {.names = "--plain",
         .help = "whole lines instead of live bars, tables as TSV",
         .environment = "DRAWHITCH_PLAIN"},
    };
    return k_rows;
}

namespace {

const OptionRow& row_of(std::string_view key) {
    return *std::ranges::find(global_rows(), key, [](const OptionRow& row) { return key_of(row); });
}

Error wrong_variable(const OptionRow& row, std::string_view value, std::string_view wanted) {
    std::string message{row.environment};
    message.append(" holds \"").append(printable(value)).append("\"; it takes ").append(wanted);
    return Error{Code::usage, std::move(message)}.then("unset " + std::string{row.environment});
}

// What a flag's variable says: empty, 0, no, off and false mean no; a number is a count.
Result<int> flag_value(const OptionRow& row, std::string_view value) {
    constexpr std::array k_no{"", "0", "no", "off", "false"};
    constexpr std::array k_yes{"yes", "on", "true"};
    if (std::ranges::find(k_no, value) != k_no.end()) return 0;
    if (std::ranges::find(k_yes, value) != k_yes.end()) return 1;
    if (value.size() == 1 && value[0] >= '1' && value[0] <= '9') return value[0] - '0';
    return wrong_variable(row, value, "1 or 0");
}

// Reads each global from the words first, then from its variable.
class Reader {
  public:
    Reader(const Parsed& typed, const Environment& environment) : typed_(typed), environment_(environment) {}

    Result<int> count(std::string_view key) const {
        if (const std::size_t given = typed_.count(key); given > 0) return static_cast<int>(given);
        const OptionRow& row = row_of(key);
        const auto value = environment_(std::string{row.environment});
        return value ? flag_value(row, *value) : Result<int>{0};
    }
    Result<bool> flag(std::string_view key) const {
        TRY_ASSIGN(const int times, count(key));
        return times > 0;
    }
    std::optional<std::string> text(std::string_view key) const {
        if (auto given = typed_.text(key)) return given;
        auto value = environment_(std::string{row_of(key).environment});
        return value && !value->empty() ? value : std::nullopt;
    }

  private:
    const Parsed& typed_;
    const Environment& environment_;
};

Result<term::ColorMode> color_mode(const std::optional<std::string>& word) {
    if (!word || *word == "auto") return term::ColorMode::automatic;
    if (*word == "always") return term::ColorMode::always;
    if (*word == "never") return term::ColorMode::never;
    return wrong_variable(row_of("color"), *word, "auto, always or never");
}

Result<std::optional<milliseconds>> timeout(const Parsed& typed, const Environment& environment) {
    if (auto given = typed.duration("timeout")) {
        if (*given > milliseconds{0}) return given;
        return Error{Code::usage, "--timeout 0 leaves no time for anything"}.then("drawhitch help global-options");
    }
    const OptionRow& row = row_of("timeout");
    const auto value = environment(std::string{row.environment});
    if (!value || value->empty()) return std::optional<milliseconds>{};
    auto length = parse_duration("timeout", *value);
    if (!length || length->count() == 0) return wrong_variable(row, *value, "a duration like 90s, 5m, 2h or 1d");
    return std::optional{*length};
}

}  // namespace

Result<Globals> read_globals(const Parsed& typed, const Environment& environment) {
    const Reader reader{typed, environment};
    Globals globals;
    TRY_ASSIGN(globals.json, reader.flag("json"));
    TRY_ASSIGN(globals.jsonl, reader.flag("jsonl"));
    TRY_ASSIGN(globals.quiet, reader.flag("quiet"));
    TRY_ASSIGN(globals.verbose, reader.count("verbose"));
    TRY_ASSIGN(globals.no_input, reader.flag("no-input"));
    TRY_ASSIGN(globals.yes, reader.flag("yes"));
    TRY_ASSIGN(globals.dry_run, reader.flag("dry-run"));
    TRY_ASSIGN(globals.plain, reader.flag("plain"));
    TRY_ASSIGN(globals.color, color_mode(reader.text("color")));
    TRY_ASSIGN(globals.timeout, timeout(typed, environment));
    globals.profile = reader.text("profile");
    globals.directory = reader.text("directory");
    globals.config = reader.text("config");
    globals.log_file = reader.text("log-file");
    return globals;
}

namespace {

term::ColorMode color_mode_of(model::Color color) {
    switch (color) {
        case model::Color::automatic:
            return term::ColorMode::automatic;
        case model::Color::always:
            return term::ColorMode::always;
        case model::Color::never:
            return term::ColorMode::never;
    }
    return term::ColorMode::automatic;
}

}  // namespace

Globals with_settings(Globals globals, const Parsed& typed, const Environment& environment,
                      const model::Settings& settings) {
    const auto open = [&](std::string_view key) {
        const OptionRow& row = row_of(key);
        const auto value = environment(std::string{row.environment});
        return !typed.given(key) && (!value || value->empty());
    };
    if (settings.color && open("color")) globals.color = color_mode_of(*settings.color);
    if (settings.plain && open("plain")) globals.plain = *settings.plain;
    if (settings.no_input && open("no-input")) globals.no_input = *settings.no_input;
    if (settings.log_file && open("log-file")) globals.log_file = settings.log_file;
    if (settings.profile && open("profile")) globals.profile = settings.profile;
    if (settings.timeout_s && open("timeout")) globals.timeout = std::chrono::seconds{*settings.timeout_s};
    return globals;
}

AskedFormat asked_format(const std::vector<std::string>& words, const Environment& environment) {
    AskedFormat asked;
    for (const std::string& word : words) {
        if (word == "--") break;
        asked.json = asked.json || word == "--json";
        asked.jsonl = asked.jsonl || word == "--jsonl";
    }
    if (asked.json || asked.jsonl) return asked;
    const auto says_yes = [&environment](std::string_view key) {
        const OptionRow& row = row_of(key);
        const auto value = environment(std::string{row.environment});
        return value && flag_value(row, *value).value_or(0) > 0;
    };
    return AskedFormat{.json = says_yes("json"), .jsonl = says_yes("jsonl")};
}

}  // namespace drawhitch::cli
