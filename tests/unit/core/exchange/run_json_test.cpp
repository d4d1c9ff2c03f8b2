#include "core/exchange/run_json.hpp"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace drawhitch;

TEST_CASE("what is remembered between polls survives its storage") {
    model::RunHistory history;
    history.attempt = 3;
    history.progress_at = 1'795'824'714;
    history.longest_gap = 77;
    history.progressed = true;
    history.progress = {20, 100, 2, std::nullopt, 1.25, false};
    history.artifacts_seen = 0xFFFFFFFFFFFFFFFFULL;
    history.log_size = 123'456;
    CHECK(exchange::history_of(exchange::history_json(history)) == history);
    CHECK(exchange::history_of(exchange::history_json({})) == model::RunHistory{});
}

TEST_CASE("a damaged memory is an empty one, or harmless") {
    for (std::string_view text :
         {"", "[]", "{", "null", "{\"attempt\":-1}", "{\"attempt\":\"x\"}", "{\"log_size\":1e99}"})
        CHECK(exchange::history_of(text) == model::RunHistory{});
}

TEST_CASE("a run's record is JSON whatever bytes the user gave, and holds no hidden value") {
    model::RunSpec spec;
    spec.name = "r1";
    spec.command = {"python", "\xff\xfe", "a \"b\""};
    spec.roster = {{"*.bin", model::RosterClass::must}};
    spec.env_shown = {{"A", "1"}};
    spec.env_hashed = {{"HF_TOKEN", "salt:hash"}};
    const auto json = nlohmann::json::parse(exchange::run_json({spec, 2, "00ff", {}, "4 CPUs", "0.1"}));
    CHECK(json["command"][0] == "python");
    CHECK(json["command"][1]["b64"] == "//4=");
    CHECK(json["attempt"] == 2);
    CHECK(json["roster"][0]["class"] == "must");
    CHECK(json["env_hashed"]["HF_TOKEN"] == "salt:hash");
}
