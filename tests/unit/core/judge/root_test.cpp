#include "core/judge/root.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace drawhitch::judge {

namespace {

model::RootFacts ordinary() {
    model::RootFacts facts;
    facts.hard_links = facts.symlinks = facts.rename_replaces = facts.rename_no_replace = true;
    facts.fsync = facts.stable_inodes = facts.exec = facts.exec_bit = true;
    return facts;
}

}  // namespace

TEST_CASE("a root on an ordinary file system is told in one row") {
    const auto findings = judge_root(ordinary());
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().rule == "root.files");
    CHECK(findings.front().grade == Grade::pass);
}

TEST_CASE("each thing that does not work at a root is a row of its own") {
    struct Case {
        bool model::RootFacts::*fact;
        std::string rule;
        Grade grade;
    };
    for (const Case& each : {Case{&model::RootFacts::hard_links, "root.links", Grade::info},
                             Case{&model::RootFacts::symlinks, "root.symlinks", Grade::warn},
                             Case{&model::RootFacts::rename_replaces, "root.rename", Grade::fail},
                             Case{&model::RootFacts::exec, "root.exec", Grade::warn},
                             Case{&model::RootFacts::exec_bit, "root.exec", Grade::warn},
                             Case{&model::RootFacts::fsync, "root.fsync", Grade::warn},
                             Case{&model::RootFacts::stable_inodes, "root.inodes", Grade::info},
                             Case{&model::RootFacts::case_folding, "root.names", Grade::warn},
                             Case{&model::RootFacts::normalising, "root.names", Grade::warn}}) {
        model::RootFacts facts = ordinary();
        facts.*each.fact = !(facts.*each.fact);
        const auto findings = judge_root(facts);
        CAPTURE(each.rule);
        REQUIRE(findings.size() == 1);
        CHECK(findings.front().rule == each.rule);
        CHECK(findings.front().grade == each.grade);
        CHECK_FALSE(findings.front().evidence.empty());
    }
}

}  // namespace drawhitch::judge
