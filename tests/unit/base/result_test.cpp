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
    struct Row {
        int number{0};
        Code code{Code::internal};
    };
    for (const Row row : {Row{ENOSPC, Code::no_space}, Row{EDQUOT, Code::no_space}, Row{EACCES, Code::permission},
                          Row{EPERM, Code::permission}, Row{EROFS, Code::read_only}, Row{ENOENT, Code::not_found},
                          Row{EEXIST, Code::exists}, Row{ELOOP, Code::unsafe_path}, Row{ENOTDIR, Code::local_io},
                          Row{EISDIR, Code::local_io}, Row{ENAMETOOLONG, Code::local_io}, Row{EMFILE, Code::local_io},
                          Row{ENFILE, Code::local_io}, Row{EFBIG, Code::local_io}, Row{EXDEV, Code::local_io},
                          Row{EIO, Code::local_io}, Row{ENOMEM, Code::local_io}, Row{ESTALE, Code::local_io}}) {
        CAPTURE(row.number);
        CHECK(errno_error(row.number, "open", "x").code == row.code);
    }
    CHECK(errno_error(EIO, "read", "a\x1b").message.find("cannot read a\\x1b: ") == 0);
}
