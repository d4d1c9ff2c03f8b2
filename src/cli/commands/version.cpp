#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/parsed.hpp"
#include "io/term/output.hpp"

namespace drawhitch::cli {

// In a file that the build writes; empty when it is not built from a repository.
extern const char* const k_commit;

namespace {

using term::Json;

// "name version" of each library as found when this was built, separated by commas.
constexpr std::string_view k_libraries = DRAWHITCH_LIBRARIES;

std::string_view commit() {
    return k_commit;
}

std::string_view compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

Result<Outcome> run_version(Context& context, const Parsed&) {
    std::string line = "drawhitch " DRAWHITCH_VERSION;
    if (!commit().empty()) line += " (" + std::string{commit()} + ")";
    context.out.text(line);
    Json libraries = Json::object();
    for (const std::string_view line_of_library : split(k_libraries, ',')) {
        const std::string_view library = trim(line_of_library);
        const std::size_t gap = library.find(' ');
        if (gap != std::string_view::npos) libraries.set(library.substr(0, gap), trim(library.substr(gap)));
    }
    context.out.json("version", DRAWHITCH_VERSION);
    context.out.json("commit", commit().empty() ? Json{} : Json{commit()});
    context.out.json("compiler", compiler());
    context.out.json("libraries", libraries);
    return Outcome{};
}

}  // namespace

CommandRow version_command() {
    return CommandRow{
        .verb = "version",
        .group = Group::shell,
        .summary = "print the version",
        .description = "With --json also the commit, the compiler and the libraries it was built with.",
        .examples = {{"drawhitch version --json", "what a bug report needs"}},
        .stands_alone = true,
        .handler = run_version,
    };
}

}  // namespace drawhitch::cli
