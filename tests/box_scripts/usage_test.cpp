#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <filesystem>

#include "box.hpp"
#include "core/judge/usage.hpp"
#include "core/parse/usage_places.hpp"
#include "core/plan/usage_script.hpp"

using namespace drawhitch;
using support::FakeBox;

TEST_CASE("a box tells where paths really lie, whatever their names, and what is mounted") {
    const auto& shell = GENERATE(from_range(support::shells()));
    CAPTURE(shell.name);
    const FakeBox box{shell};
    const support::TempDir dir{};
    const std::string real = std::filesystem::canonical(dir / "").string();
    const std::string odd = "it's $(odd)\n\"name\" ";
    std::filesystem::create_directories(dir / (odd + "/below"));
    std::filesystem::create_directory_symlink(odd, dir / "way");
    std::filesystem::create_symlink("nowhere", dir / "broken");
    support::write_file(dir / "file", "x");
    const std::vector<std::string> asked{dir / "way/below", dir / "file", dir / "broken", dir / "none", "/"};
    const auto ran = box.script(plan::usage_script(support::k_nonce, asked));
    const auto found = parse::usage_places(ran.out, support::k_nonce, asked.size());
    REQUIRE(found.complete);
    const std::string base = real.ends_with('/') ? real.substr(0, real.size() - 1) : real;
    CHECK(found.places[0].real == base + "/" + odd + "/below");
    CHECK(found.places[1].real == base + "/file");
    CHECK(found.places[2].real == base + "/broken");
    CHECK(found.places[3].missing);
    CHECK(found.places[4].real == "/");
    REQUIRE(judge::mount_of(found.mounts, "/proc/1") != nullptr);
    CHECK(judge::mount_of(found.mounts, "/proc/1")->type == "proc");
}
