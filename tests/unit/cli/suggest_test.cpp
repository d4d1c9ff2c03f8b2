#include "cli/suggest.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

using drawhitch::cli::nearest;

TEST_CASE("a slip of the fingers finds its word, another word finds nothing") {
    const std::vector<std::string> verbs{"pull", "push", "preflight", "stop-run", "ls"};
    CHECK(nearest("pul", verbs) == "pull");
    CHECK(nearest("psuh", verbs) == "push");
    CHECK(nearest("preflihgt", verbs) == "preflight");
    CHECK(nearest("stoprun", verbs) == "stop-run");
    CHECK(nearest("pref", verbs) == "preflight");
    CHECK_FALSE(nearest("banana", verbs));
    CHECK_FALSE(nearest("", verbs));
    CHECK_FALSE(nearest(std::string(100'000, 'p'), verbs));
}
