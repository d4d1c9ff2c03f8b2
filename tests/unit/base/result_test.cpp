#include "base/result.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <memory>
#include <set>

#include "base/error.hpp"

using namespace drawhitch;

namespace {

Result<int> half(int number) {
    if (number % 2 != 0) return Error{Code::usage, "odd"};
    return number / 2;
}

Result<int> quarter(int number) {
    TRY_ASSIGN(const int once, half(number));
    TRY_ASSIGN(const int twice, half(once));
    return twice;
}

Status only_even(int number) {
    TRY(half(number));
    return ok();
}

}  // namespace

TEST_CASE("a failure leaves the function at the first TRY and keeps its error") {
    CHECK(quarter(12).value() == 3);
    REQUIRE_FALSE(quarter(6).has_value());
    CHECK(quarter(6).error().code == Code::usage);
    CHECK(only_even(2).has_value());
    CHECK_FALSE(only_even(3).has_value());
}

TEST_CASE("a result can carry what cannot be copied") {
    Result<std::unique_ptr<int>> made = std::make_unique<int>(7);
    REQUIRE(made);
    const std::unique_ptr<int> taken = std::move(made).value();
    CHECK(*taken == 7);
}

TEST_CASE("every code has an id of its own") {
    std::set<std::string_view> seen;
    for (int value = 0; value <= static_cast<int>(Code::internal); ++value) {
        const std::string_view text = id(static_cast<Code>(value));
        CHECK(text.substr(0, 2) == "E-");
        CHECK(seen.insert(text).second);
    }
}

TEST_CASE("an errno becomes the code a user can act on, and the name is escaped") {
    CHECK(errno_error(ENOSPC, "write", "x").code == Code::no_space);
    CHECK(errno_error(EDQUOT, "write", "x").code == Code::no_space);
    CHECK(errno_error(EACCES, "open", "x").code == Code::permission);
    CHECK(errno_error(EROFS, "open", "x").code == Code::read_only);
    CHECK(errno_error(ENOENT, "open", "x").code == Code::not_found);
    CHECK(errno_error(ELOOP, "open", "x").code == Code::unsafe_path);
    CHECK(errno_error(EIO, "read", "x").code == Code::local_io);
    CHECK(errno_error(EIO, "read", "a\x1b").message.find("cannot read a\\x1b: ") == 0);
}
