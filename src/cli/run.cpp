#include "cli/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "cli/exit_code.hpp"
#include "cli/fit_help.hpp"
#include "cli/forgotten_dashes.hpp"
#include "cli/help.hpp"
#include "cli/next_step.hpp"
#include "cli/parser.hpp"
#include "cli/render_error.hpp"
#include "cli/settings_file.hpp"
#include "cli/signals.hpp"
#include "io/term/screen.hpp"

namespace drawhitch::cli {

namespace {

// A failed assertion is a bug like any other: it ends with the documented code. Async-signal-safe.
extern "C" void report_abort(int) {
    constexpr std::string_view k_text =
        "error[E-INTERNAL]: internal error: an assertion failed\n"
        "why: this is a bug in drawhitch; please report the lines above with the output of the next command\n"
        "next: drawhitch version --json\n";
    (void)!::write(2, k_text.data(), k_text.size());
    ::_exit(exit_code::k_internal);
}

// `VERB --help` and `--version` are other words for `help VERB` and `version`.
Located translated(const Registry& registry, Located located) {
    if (located.help) {
        const std::string topic{located.row != nullptr ? located.row->verb : std::string_view{located.family}};
        located.words.clear();
        for (const std::string_view word : split(topic, ' ')) {
            if (!word.empty()) located.words.emplace_back(word);
        }
        located.trailing.reset();
        located.row = registry.find("help");
    } else if (located.version && located.row == nullptr) {
        located.row = registry.find("version");
    }
    return located;
}

int without_verb(const Registry& registry, const Surroundings& around, AskedFormat format, const std::string& family,
                 const Asked& asked) {
    if (family.empty() && !format.json && !format.jsonl) {
        (void)write_all(around.err, fit_help(overview(registry), term::terminal_width(around.err, k_help_width)),
                        "standard error");
        return exit_code::k_usage;
    }
    if (family.empty()) {
        return Session::fail_early(around, format, Error{Code::usage, "no command was given"}.then("drawhitch help"),
                                   asked);
    }
    const std::string members = join(registry.members(family), ", ");
    return Session::fail_early(
        around, format, Error{Code::usage, family + " needs one of: " + members}.then("drawhitch help " + family),
        asked);
}

// What the option parser could make nothing of may be a command whose "--" was forgotten.
Error advised(Error error, const Located& meant) {
    const auto line = with_dashes(meant);
    if (!line) return error;
    error.why = "the command for the box stands behind --";
    return std::move(error).then(*line);
}

// config.toml, folded into the global flags. Relative to -C, which is not entered yet.
Result<model::Settings> settings_for(const CommandRow& row, Invocation& invocation, const Surroundings& around) {
    if (row.stands_alone) return model::Settings{};
    const std::string directory = invocation.globals.directory.value_or(".");
    TRY_ASSIGN(model::Settings settings, read_settings(invocation.globals, around.environment, directory));
    invocation.globals = with_settings(std::move(invocation.globals), invocation.typed, around.environment, settings);
    return settings;
}

}  // namespace

int run(const Registry& registry, const std::vector<std::string>& words, const Surroundings& around) {
    const AskedFormat format = asked_format(words, around.environment);
    Asked asked{.words = words};
    Result<Located> located = locate(registry, words);
    if (!located) return Session::fail_early(around, format, located.error(), asked);
    const Located meant = translated(registry, std::move(*located));
    if (meant.row == nullptr) return without_verb(registry, around, format, meant.family, asked);
    asked.verb = meant.row->verb;
    Result<Invocation> invocation = parse(meant, around.environment);
    if (!invocation) return Session::fail_early(around, format, advised(invocation.error(), meant), asked);
    asked.directory = invocation->typed.text("directory").value_or("");
    if (meant.help) {
        invocation->globals.json = format.json;
        invocation->globals.jsonl = format.jsonl;
    }
    asked.timeout = invocation->globals.timeout;
    auto settings = settings_for(*meant.row, *invocation, around);
    if (!settings) return Session::fail_early(around, format, settings.error(), asked);
    auto session = Session::open(around, invocation->globals, *settings, asked);
    if (!session) return Session::fail_early(around, format, session.error(), asked);
    return (*session)->execute(registry, invocation->parsed);
}

int main(int argc, char** argv) {
    keep_standard_descriptors();
    ignore_write_signals();
    std::signal(SIGABRT, report_abort);
    try {
        Cancel cancel;
        term::EchoGuard echo;
        const SignalThread signals{cancel, [&echo] { echo.restore(); }};
        const Surroundings around{process_environment(), 1, 2, system_clock(), cancel, echo};
        return run(all_commands(), std::vector<std::string>{argv + std::min(argc, 1), argv + argc}, around);
    } catch (const std::exception& problem) {
        const Error error{Code::internal, std::string{"internal error: "} + problem.what()};
        (void)write_all(2, render_error(with_next(error, {}), false), "standard error");
        return exit_code::k_internal;
    }
}

}  // namespace drawhitch::cli
