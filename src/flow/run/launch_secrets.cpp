#include "flow/run/launch_secrets.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "core/parse/secrets.hpp"

namespace drawhitch::flow {

namespace {

struct Found {
    std::string where{};
    std::string_view reason{};
    std::string variable{};  // the one that a job reads it from, as far as anybody can tell
};

bool is_name(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// NAME of the `NAME=VALUE` that holds the credential, or the variable by which its kind is known.
std::string variable_of(std::string_view text, std::string_view reason) {
    for (std::size_t sign = text.find('='); sign != std::string_view::npos; sign = text.find('=', sign + 1)) {
        std::size_t begin = sign;
        while (begin > 0 && is_name(text[begin - 1]))
            --begin;
        const std::size_t end = std::min(text.find_first_of(" ;&|\n", sign), text.size());
        const bool dashed = begin > 0 && text[begin - 1] == '-';
        if (begin < sign && !dashed && parse::secret_text(text.substr(begin, end - begin)))
            return std::string{text.substr(begin, sign - begin)};
    }
    if (reason.starts_with("Hugging Face")) return "HF_TOKEN";
    if (reason.starts_with("Weights & Biases")) return "WANDB_API_KEY";
    return "NAME";
}

std::optional<Found> found_in(const std::string& where, const std::string& text) {
    const auto reason = parse::secret_content({}, text);
    if (!reason) return std::nullopt;
    return Found{where, *reason, variable_of(text, *reason)};
}

// A credential may be spread over two words ("password", its value): then the whole line tells.
std::optional<Found> in_command(const std::vector<std::string>& command) {
    for (const std::string& word : command)
        if (auto found = found_in("the command", word)) return found;
    return found_in("the command", join(command, " "));
}

std::optional<Found> in_options(const LaunchOptions& options, const model::Project& project) {
    if (auto found = found_in("the name", options.name)) return found;
    if (auto found = found_in("the activation line", options.activate)) return found;
    for (const model::RosterItem& item : options.roster)
        if (auto found = found_in("a pattern of the outputs", item.pattern)) return found;
    for (const auto& [name, value] : plan::recorded(options.variables, project.env.record).shown)
        if (auto found = found_in("the variable " + name, value)) return found;
    return std::nullopt;
}

}  // namespace

Status check_no_secrets(const Deps& deps, const model::Lease& lease, const LaunchOptions& options) {
    auto found = in_command(options.command);
    if (!found) found = in_options(options, deps.project.values);
    if (!found) return ok();
    const std::string& name = found->variable;
    return Error{Code::usage, "what looks like a " + std::string{found->reason} + " stands in " + found->where +
                                  "; nothing was kept, and nothing was started"}
        .because(
            "these words are kept in the ledger and in the run's record, here and on the box; a variable's value "
            "is not:\n`export " +
            name + "=…` here, leave it out of the command, and hand it on with --env " + name +
            " or, for every run, with `[env] pass = [\"" + name + "\"]` in drawhitch.toml")
        .then("drawhitch run " + shell_word(lease.name) + " --env " + name + " -- COMMAND");
}

}  // namespace drawhitch::flow
