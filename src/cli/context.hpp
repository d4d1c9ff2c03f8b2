// Context: what a handler works with. Everything arrives here; there are no singletons.
#pragma once

#include <string>

#include "base/op.hpp"
#include "cli/globals.hpp"
#include "core/model/project.hpp"

namespace drawhitch::term {
class Output;
class Prompt;
}  // namespace drawhitch::term

namespace drawhitch::cli {

class Registry;

struct Context {
    const Op& op;  // cancel, deadline (--timeout), clock, events
    const Globals& globals;
    const model::Settings& settings;  // of config.toml; what is a global flag, too, is in `globals` already
    const Environment& environment;
    const Registry& registry;
    term::Output& out;        // standard output
    term::Prompt& prompt;     // the person at the terminal
    std::string directory{};  // the working directory, absolute
    std::string box{};        // the box that is meant, once it is known: the command after an error names it
};

}  // namespace drawhitch::cli
