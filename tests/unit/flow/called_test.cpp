#include "flow/called.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/text.hpp"
#include "core/config/load_project.hpp"
#include "core/plan/run_layout.hpp"
#include "core/proto/limits.hpp"

using namespace drawhitch;

TEST_CASE("a name as long as names may be is taken, and one byte more is refused with the limit") {
    CHECK(flow::check_called(std::string(k_called_most, 'a'), "run"));
    for (const std::size_t size : {k_called_most + 1, std::size_t{250}, std::size_t{120'000}}) {
        const auto refused = flow::check_called(std::string(size, 'a'), "run");
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::usage);
        CHECK(refused.error().why.find(std::to_string(k_called_most)) != std::string::npos);
        // It is recognized by its beginning, not printed whole.
        CHECK(refused.error().message.size() < 120);
    }
    for (const char* wrong : {"", "-a", ".a", "a/b", "a b", "\n"})
        CHECK(flow::check_called(wrong, "box").error().code == Code::usage);
}

TEST_CASE("whatever is made of the longest names is a name Linux takes") {
    const std::string longest(k_called_most, 'x');
    const std::string file = plan::environment_file("", longest, longest, std::string(32, 'f'));
    CHECK(file.size() - 1 <= proto::k_name_max);
    CHECK(config::name_from_directory("/home/" + std::string(255, 'd')).size() == k_called_most);
    CHECK(flow::check_called(config::name_from_directory("/home/" + std::string(255, 'd')), "project"));
}
