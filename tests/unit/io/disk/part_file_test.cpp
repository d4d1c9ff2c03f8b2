#include "io/disk/part_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "core/proto/limits.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using disk::PartFile;
using disk::PartPlan;

namespace {

// Distinct content for every chunk.
std::string chunk(std::uint64_t index, std::size_t size = proto::k_chunk) {
    std::string raw(size, static_cast<char>('a' + index));
    raw.replace(0, 4, "head");
    return raw;
}

struct Bench {
    support::TempDir dir{};
    support::TestOp op{};
    UniqueFd directory{::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY)};

    std::unique_ptr<PartFile> open(const PartPlan& plan) {
        auto part = PartFile::open(op, directory.get(), "p", plan);
        REQUIRE(part);
        return std::move(part).value();
    }
    static void write(PartFile& part, std::uint64_t index, std::string_view raw) {
        REQUIRE(part.write_leaf(index, raw, proto::leaf_digest(raw)));
    }
};

constexpr std::uint64_t k_size = 3 * proto::k_chunk + 10;
const PartPlan k_plan{k_size, k_size, "state 1"};

}  // namespace

TEST_CASE("a part takes leaves in any order and says which it has") {
    Bench bench;
    auto part = bench.open(k_plan);
    CHECK(part->leaf_count() == 4);
    Bench::write(*part, 3, chunk(3, 10));
    Bench::write(*part, 1, chunk(1));
    CHECK(part->proven(3));
    CHECK(!part->proven(0));
    CHECK(part->proven_bytes() == proto::k_chunk + 10);
    std::string back(10, '\0');
    REQUIRE(part->read(3 * proto::k_chunk, back));
    CHECK(back == chunk(3, 10));
}

TEST_CASE("a chunk of the wrong size is refused") {
    Bench bench;
    auto part = bench.open(k_plan);
    CHECK(!part->write_leaf(3, chunk(3), proto::leaf_digest(chunk(3))));
    CHECK(!part->write_leaf(0, chunk(0, 10), proto::leaf_digest(chunk(0, 10))));
    CHECK(!part->write_leaf(4, chunk(4), proto::leaf_digest(chunk(4))));
    CHECK(!part->write_leaf(0, "", proto::leaf_digest("")));
}

TEST_CASE("a part opened again has what was written, proved anew") {
    Bench bench;
    {
        auto part = bench.open(k_plan);
        Bench::write(*part, 0, chunk(0));
        Bench::write(*part, 2, chunk(2));
        Bench::write(*part, 3, chunk(3, 10));
    }
    // Damage behind our back: the journal still claims leaf 2.
    const int fd = ::open((bench.dir / "p.part").c_str(), O_WRONLY);
    REQUIRE(::pwrite(fd, "X", 1, 2 * proto::k_chunk + 99) == 1);
    ::close(fd);
    auto part = bench.open(k_plan);
    CHECK(part->proven(0));
    CHECK(!part->proven(1));
    CHECK(!part->proven(2));
    CHECK(part->proven(3));
}

TEST_CASE("a part cut short forgets what it lost") {
    Bench bench;
    {
        auto part = bench.open(k_plan);
        for (std::uint64_t i = 0; i < 3; ++i)
            Bench::write(*part, i, chunk(i));
    }
    REQUIRE(::truncate((bench.dir / "p.part").c_str(), proto::k_chunk + 5) == 0);
    auto part = bench.open(k_plan);
    CHECK(part->proven_count() <= 1);
    struct stat found {};
    REQUIRE(::stat((bench.dir / "p.part").c_str(), &found) == 0);
    CHECK(static_cast<std::uint64_t>(found.st_size) == k_size);
}

TEST_CASE("every prefix of the journal leads to a part that is right") {
    Bench bench;
    {
        auto part = bench.open(k_plan);
        for (std::uint64_t i = 0; i < 3; ++i)
            Bench::write(*part, i, chunk(i));
    }
    const std::string journal = support::read_file(bench.dir / "p.leaves");
    const std::string bytes = support::read_file(bench.dir / "p.part");
    for (std::size_t length = 0; length <= journal.size(); length += 7) {
        support::write_file(bench.dir / "p.leaves", std::string_view{journal}.substr(0, length));
        support::write_file(bench.dir / "p.part", bytes);
        {
            auto part = bench.open(k_plan);
            for (std::uint64_t i = 0; i < 4; ++i)
                if (!part->proven(i)) Bench::write(*part, i, i == 3 ? chunk(3, 10) : chunk(i));
        }
        auto again = bench.open(k_plan);
        INFO("journal cut at " << length);
        REQUIRE(again->proven_count() == 4);
    }
}

TEST_CASE("leaves of an earlier state of the source are taken only where they match") {
    Bench bench;
    {
        auto part = bench.open(k_plan);
        for (std::uint64_t i = 0; i < 3; ++i)
            Bench::write(*part, i, chunk(i));
        Bench::write(*part, 3, chunk(3, 10));
    }
    // The file grew: its last chunk is another one now.
    auto part = bench.open({4 * proto::k_chunk, 4 * proto::k_chunk, "state 2"});
    CHECK(part->proven_count() == 0);
    CHECK(part->adopt(0, proto::leaf_digest(chunk(0))));
    CHECK(!part->adopt(1, proto::leaf_digest("something else")));
    CHECK(!part->adopt(3, proto::leaf_digest(chunk(3))));
    CHECK(part->proven(0));
    CHECK(part->proven_count() == 1);
    part.reset();
    CHECK(bench.open({4 * proto::k_chunk, 4 * proto::k_chunk, "state 2"})->proven(0));
}

TEST_CASE("zeros of a sparse file take no space, and overwrite what was there") {
    Bench bench;
    const PartPlan sparse{8 * proto::k_chunk, 0, "s"};
    auto part = bench.open(sparse);
    Bench::write(*part, 1, chunk(1));
    Bench::write(*part, 1, std::string(proto::k_chunk, '\0'));
    for (std::uint64_t i = 2; i < 8; ++i)
        Bench::write(*part, i, std::string(proto::k_chunk, '\0'));
    std::string back(proto::k_chunk, 'x');
    REQUIRE(part->read(proto::k_chunk, back));
    CHECK(back == std::string(proto::k_chunk, '\0'));
    struct stat found {};
    REQUIRE(::fstat(part->fd(), &found) == 0);
    CHECK(static_cast<std::uint64_t>(found.st_blocks) * 512 < 2 * proto::k_chunk);
}

TEST_CASE("starting over empties part and journal") {
    Bench bench;
    {
        auto part = bench.open(k_plan);
        Bench::write(*part, 0, chunk(0));
        REQUIRE(part->start_over());
        CHECK(part->proven_count() == 0);
    }
    CHECK(bench.open(k_plan)->proven_count() == 0);
}

TEST_CASE("an empty file has no leaves and is complete") {
    Bench bench;
    auto part = bench.open({0, 0, "empty"});
    CHECK(part->leaf_count() == 0);
    CHECK(part->leaves().empty());
    CHECK(part->finish(0644, 0));
}
