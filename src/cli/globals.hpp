// The global flags, each also a DRAWHITCH_… variable. A flag that was typed wins over the variable.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/command.hpp"
#include "core/model/project.hpp"
#include "io/term/screen.hpp"

namespace drawhitch::cli {

// Looks a variable up; a test passes its own.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

struct Globals {
    bool json{false};
    bool jsonl{false};
    bool quiet{false};
    int verbose{0};
    term::ColorMode color{term::ColorMode::automatic};
    bool no_input{false};
    bool yes{false};
    bool dry_run{false};
    bool plain{false};
    std::optional<std::string> profile{};
    std::optional<std::string> directory{};  // -C: already entered when a handler runs
    std::optional<milliseconds> timeout{};
    std::optional<std::string> config{};
    std::optional<std::string> log_file{};
};

const std::vector<OptionRow>& global_rows();

// `typed` is a Parsed over `global_rows`. Code::usage for a variable that does not hold what its flag would take.
Result<Globals> read_globals(const Parsed& typed, const Environment& environment);

// Fills in from config.toml what was neither typed nor said by a variable.
Globals with_settings(Globals globals, const Parsed& typed, const Environment& environment,
                      const model::Settings& settings);

// True when the words ask for --json or --jsonl, or the variable does: an error about the words themselves must land in
// the envelope, too.
struct AskedFormat {
    bool json{false};
    bool jsonl{false};
};
AskedFormat asked_format(const std::vector<std::string>& words, const Environment& environment);

}  // namespace drawhitch::cli
