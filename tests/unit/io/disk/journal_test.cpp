#include "io/disk/journal.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace drawhitch;

namespace {

const std::string k_salt = "saltsalt";

std::string journal_of(std::uint64_t records) {
    std::string journal = disk::journal_head(k_salt, "model.pt 4711");
    for (std::uint64_t i = 0; i < records; ++i)
        journal += disk::journal_record(k_salt, i, proto::leaf_digest(std::to_string(i)));
    return journal;
}

}  // namespace

TEST_CASE("a journal says what was written into it") {
    const auto claims = disk::read_journal(journal_of(3));
    REQUIRE(claims.usable);
    CHECK(claims.identity == "model.pt 4711");
    REQUIRE(claims.leaves.size() == 3);
    CHECK(claims.leaves.at(2) == proto::leaf_digest("2"));
    CHECK(claims.whole_bytes == journal_of(3).size());
}

TEST_CASE("of an index written twice the last record stands") {
    const auto claims =
        disk::read_journal(journal_of(3) + disk::journal_record(k_salt, 1, proto::leaf_digest("again")));
    CHECK(claims.leaves.at(1) == proto::leaf_digest("again"));
}

TEST_CASE("every prefix of a journal yields its whole records and nothing else") {
    const std::string whole = journal_of(4);
    const std::size_t head = disk::journal_head(k_salt, "model.pt 4711").size();
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        const auto claims = disk::read_journal(std::string_view{whole}.substr(0, length));
        INFO("cut at " << length);
        REQUIRE(claims.usable == (length >= head));
        const std::size_t records = length < head ? 0 : (length - head) / disk::k_journal_record;
        REQUIRE(claims.leaves.size() == records);
        if (claims.usable) REQUIRE(claims.whole_bytes == head + records * disk::k_journal_record);
    }
}

TEST_CASE("every flipped byte costs at most the record it hit") {
    const std::string whole = journal_of(4);
    const std::size_t head = disk::journal_head(k_salt, "model.pt 4711").size();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string bad = whole;
        bad[at] = static_cast<char>(bad[at] ^ 0x04);
        const auto claims = disk::read_journal(bad);
        INFO("flipped " << at);
        REQUIRE(claims.usable == (at >= head));
        REQUIRE(claims.leaves.size() == (at < head ? 0 : 3));
        for (const auto& [index, leaf] : claims.leaves)
            REQUIRE(leaf == proto::leaf_digest(std::to_string(index)));
    }
}

TEST_CASE("records of another journal do not count") {
    const auto claims =
        disk::read_journal(journal_of(1) + disk::journal_record("otherone", 7, proto::leaf_digest("7")));
    CHECK(claims.leaves.size() == 1);
}
