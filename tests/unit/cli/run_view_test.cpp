#include "cli/run_view.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;
using namespace drawhitch::cli;

TEST_CASE("moments in evidence are told with their ages, by the clock of the reader") {
    const WallTime now{1'700'000'600, 0};
    CHECK(with_ages("log written at 2023-11-14T22:13:20Z", now) == "log written at 2023-11-14T22:13:20Z (10 min ago)");
    CHECK(with_ages("2023-11-14T22:13:20Z and 2023-11-14T22:23:19Z.", now) ==
          "2023-11-14T22:13:20Z (10 min ago) and 2023-11-14T22:23:19Z (1 s ago).");
    CHECK(with_ages("exit record: code 3", now) == "exit record: code 3");
    CHECK(with_ages("", now).empty());
}
