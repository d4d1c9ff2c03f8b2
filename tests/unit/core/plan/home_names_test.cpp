#include "core/plan/home_names.hpp"

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <vector>

using namespace drawhitch;

TEST_CASE("each name that a pull keeps for itself gets an ending, wherever the path goes on") {
    CHECK(plan::home_name("MANIFEST.json") == "MANIFEST.json.box");
    CHECK(plan::home_name("SHA256SUMS") == "SHA256SUMS.box");
    CHECK(plan::home_name(".drawhitch/state") == ".drawhitch.box/state");
    CHECK(plan::home_name("_run/log") == "_run.box/log");
    CHECK(plan::home_name("MANIFEST.json/part/x") == "MANIFEST.json.box/part/x");
}

TEST_CASE("all other names stay as they are") {
    for (const std::string name : {"model.bin", "out/MANIFEST.json", "manifest.json", "_runs/log", "a.box", ".box"}) {
        CHECK(plan::home_name(name) == name);
        CHECK(plan::work_name(name) == name);
    }
    CHECK(plan::work_name("_run/log") == "_run/log");
}

TEST_CASE("no two files of the box get one name, and each name leads back") {
    const std::vector<std::string> names{"MANIFEST.json",
                                         "MANIFEST.json.box",
                                         "MANIFEST.json.box.box",
                                         "SHA256SUMS/x",
                                         "SHA256SUMS.box/x",
                                         "_run/a",
                                         "_run.box/a",
                                         ".drawhitch/a",
                                         ".drawhitch.box/a",
                                         "MANIFEST.json.box/a.b",
                                         "MANIFEST.json.boxx"};
    std::set<std::string> home;
    for (const std::string& name : names) {
        CHECK(plan::work_name(plan::home_name(name)) == name);
        CHECK(home.insert(plan::home_name(name)).second);
    }
    CHECK_FALSE(home.contains("MANIFEST.json"));
}
