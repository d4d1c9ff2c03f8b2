// The exit codes, and the one table that turns an error into one. docs/exit-codes.md states the same table; a test
// compares them.
#pragma once

#include <span>
#include <string_view>

#include "base/error.hpp"

namespace drawhitch::cli {

namespace exit_code {
inline constexpr int k_ok = 0;
inline constexpr int k_failed = 1;
inline constexpr int k_usage = 2;
inline constexpr int k_skipped = 3;
inline constexpr int k_gate_closed = 4;
inline constexpr int k_unreachable = 5;
inline constexpr int k_integrity = 6;
inline constexpr int k_unhealthy = 7;
inline constexpr int k_provider = 8;
inline constexpr int k_unconfirmed = 9;
inline constexpr int k_auth = 10;
inline constexpr int k_no_space = 11;
inline constexpr int k_job_failed = 12;
inline constexpr int k_job_stalled = 13;
inline constexpr int k_internal = 70;
inline constexpr int k_deadline = 124;
inline constexpr int k_interrupted = 130;
}  // namespace exit_code

struct ExitRow {
    int exit{0};
    std::string_view meaning{};
};
std::span<const ExitRow> exit_rows();

struct CodeRow {
    Code code{Code::internal};
    int exit{exit_code::k_internal};
    std::string_view meaning{};
    // What to type when the error itself does not say: the words of next_step.hpp. Every class has one.
    std::string_view next{};
};
// One row per Code, in the order of the enumeration.
std::span<const CodeRow> code_rows();

int exit_code_of(Code code);
const CodeRow& row_of(Code code);

}  // namespace drawhitch::cli
