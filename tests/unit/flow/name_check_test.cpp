#include "flow/name_check.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "flow/pull.hpp"
#include "io/disk/name_rules.hpp"
#include "support/finished_run.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;

namespace {

const std::string k_composed = "out/\xC3\xA9.txt";
const std::string k_decomposed = "out/e\xCC\x81.txt";

}  // namespace

TEST_CASE("names that the destination cannot keep apart are refused before the transfer, with a free name each") {
    support::FinishedRun bench;
    bench.put(k_composed, "composed");
    bench.put(k_decomposed, "decomposed");
    bench.put("out/Readme", "1");
    bench.put("out/README", "2");
    bench.put("out/\xF0\x9F\x98\x80\xC3\xBC", "both in one name");
    bench.claim({{"out/**", model::RosterClass::must}});
    flow::PullOptions options;
    options.box = "b1";
    options.names = parse::NameRules{true, true};
    const auto refused = flow::pull(bench.op, bench.local.deps(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::usage);
    CHECK(refused.error().message.starts_with("2 pairs of names would be the same in "));
    CHECK(refused.error().why.find("out/README and out/Readme: rename one there, for example to out/Readme~2") !=
          std::string::npos);
    CHECK(refused.error().why.find("(10 bytes)") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(bench.there()));

    options.names.reset();
    const auto exact = flow::pull(bench.op, bench.local.deps(), options);
    REQUIRE(exact);
    CHECK(support::read_file(bench.there() + "/" + k_composed) == "composed");
    CHECK(support::read_file(bench.there() + "/" + k_decomposed) == "decomposed");
    CHECK(support::read_file(bench.there() + "/out/Readme") == "1");
    CHECK(support::read_file(bench.there() + "/out/README") == "2");
}

TEST_CASE("many pairs are counted and listed up to a bound") {
    std::vector<std::string> paths;
    for (int i = 0; i < 30; ++i) {
        paths.push_back("a" + std::to_string(i));
        paths.push_back("A" + std::to_string(i));
    }
    const auto refused = flow::check_names(paths, {true, false}, "/here");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.starts_with(
        "more than 20 pairs of names would be the same in /here, which ignores case"));
    CHECK(refused.error().why.ends_with("\nand more"));
    CHECK(flow::check_names(paths, {false, true}, "/here"));
}

TEST_CASE("asking a file system about names leaves nothing behind") {
    const support::TempDir tmp;
    const auto root = disk::Root::open(tmp.path());
    REQUIRE(root);
    const auto found = disk::probe_names(*root);
    REQUIRE(found);
    // Whatever the disk under the tests does: it must be what a second look says.
    support::write_file(tmp / "x\xC3\xA9", "");
    CHECK(found->ignores_case == std::filesystem::exists(tmp / "X\xC3\xA9"));
    CHECK(found->ignores_unicode_form == std::filesystem::exists(tmp / "xe\xCC\x81"));
    std::filesystem::remove(tmp / "x\xC3\xA9");
    CHECK(std::filesystem::is_empty(tmp.path()));
}
