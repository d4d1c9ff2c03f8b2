// The command to type after an error. Most errors name theirs; for the others the class and what was typed decide, so
// that none ends without one. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"

namespace drawhitch::cli {

// What the user typed, as far as it is understood.
struct Asked {
    std::string verb{};                     // "pull", "profile ls"; empty when none was found
    std::vector<std::string> words{};       // all words after the program's name
    std::string box{};                      // the box that was meant; empty when there is none
    std::optional<milliseconds> timeout{};  // of --timeout or its variable
    std::string directory{};                // of -C, as typed; empty: not given
};

// Fills in the words of a CodeRow's `next`:
//   {verb}    the verb, or nothing
//   {box}     a blank and the box, or nothing
//   {doctor}  doctor for the box; when doctor itself failed, the same once more and more talkative
//   {again}   the same command once more, without its --timeout and without what follows "--", which may hold secrets:
//             a verb that needs that is looked after with `ps` instead
//   {longer}  twice the time limit that held, at least a minute
std::string filled_in(std::string_view next, const Asked& asked);

// A command as it can be typed, or copied from a terminal or from JSON: quoted words whose bytes are no harmless text
// are quoted as $'…\xNN…'.
std::string typeable(std::string_view command);

// The same for somebody who stays where the command was typed: with its -C, where the line has none of its own.
std::string typeable_here(std::string_view command, const Asked& asked);

// `error` with a `next`, unless it has one; typeable.
Error with_next(Error error, const Asked& asked);

// After a command that ended without an error and yet not with 0 ("finished with skips", "the job failed"): what the
// first class of error with that code says. Empty for 0 and for codes of nobody.
std::vector<std::string> next_after(int exit, const Asked& asked);

}  // namespace drawhitch::cli
