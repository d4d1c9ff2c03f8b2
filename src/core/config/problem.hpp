// Problems of a configuration file: all of them at once, each with its place, so that one look mends the file.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace drawhitch::config {

// Lines and columns count from 1; 0 means the file as a whole.
struct Position {
    int line{0};
    int column{0};
};

struct Problem {
    std::string file{};  // as shown to the user
    Position at{};
    std::string message{};  // one line, lower case, without a full stop; already escaped for the terminal

    // "FILE:LINE:COLUMN: message".
    [[nodiscard]] std::string text() const;
};

// Collects what is wrong (problems: the file cannot be used) and what is odd (warnings: it can) with one file.
struct Log {
    std::string file{};
    std::vector<Problem> problems{};
    std::vector<Problem> warnings{};

    void problem(Position at, std::string message) { problems.push_back(Problem{file, at, std::move(message)}); }
    void warn(Position at, std::string message) { warnings.push_back(Problem{file, at, std::move(message)}); }
    // In the order of the file, whatever order the keys were read in.
    void sort();
};

// What a loader returns: always a value (defaults where the file is wrong), to be used only when there are no problems.
template <class T>
struct Loaded {
    T value{};
    std::vector<Problem> problems{};
    std::vector<Problem> warnings{};
    [[nodiscard]] bool ok() const { return problems.empty(); }
};

// Code::config. One problem is the message itself; several are counted, and listed in `why`, one a line.
Error problems_error(const std::vector<Problem>& problems);

// The value, or problems_error.
template <class T>
Result<T> checked(Loaded<T> loaded) {
    if (!loaded.ok()) return problems_error(loaded.problems);
    return std::move(loaded.value);
}

// The candidate a mistyped word probably meant, or "" when none is near enough.
std::string_view closest_word(std::string_view typed, const std::vector<std::string_view>& candidates);
// ", did you mean 'x'?" or "".
std::string did_you_mean(std::string_view typed, const std::vector<std::string_view>& candidates);

}  // namespace drawhitch::config
