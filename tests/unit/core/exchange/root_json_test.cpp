#include "core/exchange/root_json.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;

TEST_CASE("what was found out about a root comes back as it was written") {
    model::RootFacts facts{};
    facts.boot_id = "1b2c \xff";
    CHECK(exchange::read_root_json(exchange::root_json(facts)).has_value());
    facts.boot_id = "1b2c";
    facts.hard_links = facts.case_folding = facts.exec_bit = true;
    facts.mtime_step_ns = 2'000'000'000;
    facts.fs_type = 0xFFFFFFFFFFFFFFFFU;
    CHECK(exchange::read_root_json(exchange::root_json(facts)) == facts);
    // Each fact stands for itself.
    model::RootFacts other = facts;
    other.normalising = true;
    CHECK(exchange::read_root_json(exchange::root_json(other)) == other);
}

TEST_CASE("a text without every fact counts as a root that was not tried out") {
    const std::string whole = exchange::root_json({});
    CHECK_FALSE(exchange::read_root_json(""));
    CHECK_FALSE(exchange::read_root_json("{}"));
    CHECK_FALSE(exchange::read_root_json("[true]"));
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK_FALSE(exchange::read_root_json(whole.substr(0, length)));
    std::string wrong = whole;
    wrong.replace(wrong.find("false"), 5, "\"no\"");
    CHECK_FALSE(exchange::read_root_json(wrong));
}
