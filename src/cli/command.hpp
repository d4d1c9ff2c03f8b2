// What a command is: one table row with its options, positionals, help and handler. This header is all a file under
// commands/ needs beside the flow it calls. Nothing here knows the option parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace drawhitch::cli {

struct Context;
class Parsed;

enum class OptionKind {
    flag,      // given or not; repeating counts (-vv)
    text,      // one word
    list,      // may be repeated, each time with one word
    integer,   // decimal, may be negative
    duration,  // 90s, 5m, 2h, 1d or plain seconds
    bytes,     // 512M, 1.5GiB or plain bytes; K, M, G, T are powers of 1024
    path,      // bytes, taken as they are
};

struct OptionRow {
    std::string_view names{};  // "-o,--out" or "--out"; the long name without dashes is the key for Parsed
    OptionKind kind{OptionKind::flag};
    std::string_view metavar{};  // "PATTERN"; empty for a flag
    std::string_view help{};     // one line, no full stop
    std::string_view choices{};  // "auto|always|never": any other word is refused
    bool required{false};
    std::string_view environment{};  // the variable that stands in when the option is not given
};

enum class Arity {
    one,       // must be there
    optional,  // may be left out
    many,      // one or more
    any,       // none or more
};

struct PositionalRow {
    std::string_view name{};  // "BOX"
    std::string_view help{};
    Arity arity{Arity::one};
    std::string_view choices{};  // "bash|zsh|fish": any other word is refused
    // This is the BOX of the grammar, and may be left out when the project has one: see resolve_box. Only the first
    // row.
    bool box_optional{false};
};

enum class Group { life_cycle, inspect, manage, shell };

struct Example {
    std::string_view command{};
    std::string_view what{};
};

// What a command ended with, when it did not fail. `exit` is a row of exit_code.hpp, but for `exec`, which hands on the
// code of the remote command.
struct Outcome {
    int exit{0};
    std::vector<std::string> next{};  // commands worth typing now
};

using Handler = Result<Outcome> (*)(Context& context, const Parsed& parsed);

struct CommandRow {
    std::string_view verb{};  // "pull", or "profile ls" for a family
    std::vector<std::string_view> aliases{};
    Group group{Group::inspect};
    std::string_view summary{};      // one line for `help`, no full stop
    std::string_view description{};  // paragraphs for `help VERB`, wrapped by hand at 80 columns
    std::vector<PositionalRow> positionals{};
    std::vector<OptionRow> options{};
    std::string_view trailing{};  // what follows "--", as in "COMMAND [ARG…]"; empty: the command takes none
    bool trailing_required{false};
    std::vector<Example> examples{};
    bool hidden{false};
    bool stands_alone{false};  // needs no config.toml, and works when it is wrong: version, help
    Handler handler{nullptr};
};

// The long name without dashes of "-o,--out": "out".
std::string_view key_of(const OptionRow& option);

}  // namespace drawhitch::cli
