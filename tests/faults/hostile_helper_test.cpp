// A helper that lies: wrong bytes, wrong order, too much, too little. What is wrong is fetched again or ends the pull;
// it never reaches a name the user can see.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "core/proto/bundle.hpp"
#include "core/proto/chunk.hpp"
#include "core/proto/messages_data.hpp"
#include "io/transport/local.hpp"
#include "support/tampering_transport.hpp"
#include "support/temp_dir.hpp"
#include "support/test_box.hpp"
#include "support/test_op.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using flow::FileState;
using proto::Frame;
using proto::MessageType;

namespace {

using Frames = std::vector<Frame>;

Frames unchanged(Frame frame) {
    Frames frames;
    frames.push_back(std::move(frame));
    return frames;
}

struct Bench {
    support::TempDir box{};
    support::TempDir here{};
    support::HastyClock clock{};
    support::TestOp op{clock};
    support::Tree tree{support::sample_tree()};
    transport::LocalTransport local{};

    Bench() { support::plant(box.path(), tree); }
    flow::PullOutcome pull(const support::Tamper& tamper) {
        support::TamperingTransport liar{local, tamper};
        return support::pull(op, support::dial_box(liar, box.path()), here / "d", support::items_of(op, box.path()));
    }
    [[nodiscard]] std::string wrong(bool complete) const { return support::wrong_file(here / "d", tree, complete); }
};

// The n-th data frame (from 1) with its last byte flipped; the head of a chunk may be hit, too.
support::Tamper flip_data(std::size_t n, std::size_t every = 0) {
    auto count = std::make_shared<std::size_t>(0);
    return [count, n, every](Frame frame) {
        if (frame.type != MessageType::data) return unchanged(std::move(frame));
        ++*count;
        const bool hit = *count == n || (every != 0 && *count >= n && (*count - n) % every == 0);
        if (hit) frame.payload.back() = static_cast<char>(frame.payload.back() ^ 0x40);
        return unchanged(std::move(frame));
    };
}

}  // namespace

TEST_CASE("a chunk that arrives wrong is fetched again, by itself, and the pull ends right") {
    std::size_t repaired = 0;
    for (std::size_t n = 1; n < 40; n += 3) {
        Bench bench;
        const auto outcome = bench.pull(flip_data(n));
        INFO("data frame " << n);
        CHECK(bench.wrong(!outcome.stopped).empty());
        REQUIRE(!outcome.stopped);
        repaired += outcome.tally.wrong_chunks;
    }
    CHECK(repaired > 5);
}

TEST_CASE("what arrives wrong three times is an integrity failure of that file alone") {
    Bench bench;
    const auto outcome = bench.pull(flip_data(1, 1));
    CHECK(bench.wrong(false).empty());
    REQUIRE(!outcome.stopped);
    std::size_t failed = 0;
    for (const auto& result : outcome.results)
        if (result.state == FileState::failed && result.code == Code::integrity) ++failed;
    CHECK(failed > 3);
}

TEST_CASE("a chunk nobody asked for, a chunk twice and a chunk of another size are refused") {
    for (const int lie : {0, 1, 2}) {
        Bench bench;
        const auto outcome = bench.pull([lie](Frame frame) -> Frames {
            // Only single-fragment chunks of a file can be rewritten without putting them together first.
            const bool whole = frame.type == MessageType::data && (frame.payload[4] & 3) == 3;
            if (!whole) return unchanged(std::move(frame));
            proto::ChunkAssembler assembler;
            const auto chunk = assembler.feed(frame.payload);
            if (!chunk || !*chunk) return unchanged(std::move(frame));
            proto::EncodedChunk changed = **chunk;
            if (lie == 0) changed.index += 1000;
            if (lie == 2) changed.raw_size -= 1;
            Frames frames;
            proto::Fragmenter fragments{changed};
            frames.push_back({frame.type, frame.request, fragments.next()});
            if (lie == 1) frames.push_back(std::move(frame));
            return frames;
        });
        INFO("lie " << lie);
        CHECK(bench.wrong(!outcome.stopped).empty());
        if (outcome.stopped) CHECK(outcome.stopped->code == Code::protocol);
    }
}

TEST_CASE("an end that comes too early is no end") {
    Bench bench;
    bool cut = false;
    const auto outcome = bench.pull([&cut](Frame frame) -> Frames {
        // The first data frame becomes the request's last answer.
        if (cut || frame.type != MessageType::data) return unchanged(std::move(frame));
        cut = true;
        Frames frames;
        frames.push_back({MessageType::read_end, frame.request, proto::encode(proto::ReadEnd{})});
        return frames;
    });
    CHECK(bench.wrong(!outcome.stopped).empty());
    CHECK(cut);
}

TEST_CASE("answers to requests that were never made end the connection") {
    Bench bench;
    const auto outcome = bench.pull([](Frame frame) -> Frames {
        if (frame.type == MessageType::data) frame.request += 500;
        return unchanged(std::move(frame));
    });
    REQUIRE(outcome.stopped);
    CHECK(outcome.stopped->code == Code::protocol);
    CHECK(bench.wrong(false).empty());
}

namespace {

// The head of a chunk says that it is a difference to the base.
Frames claim_base(Frame frame) {
    if (frame.type == MessageType::data && (frame.payload[4] & 1) != 0) frame.payload[6] = 1;
    return unchanged(std::move(frame));
}

// A file on the box of which an earlier state lies in the destination, too.
struct BasedBench : Bench {
    std::string old = support::noise(3U << 20U, 5);
    std::string fresh = old;

    BasedBench() {
        for (std::size_t at = 0; at < fresh.size(); at += 500)
            fresh[at] = static_cast<char>(fresh[at] ^ 1);
        std::filesystem::create_directories(here / "d");
        support::write_file(here / "d/old", old);
        tree = {{"new", fresh}};
        support::plant(box.path(), {{"old", old}, {"new", fresh}});
    }
    flow::PullOutcome pull(const support::Tamper& tamper, const std::string& base = "old") {
        support::TamperingTransport liar{Bench::local, tamper};
        auto items = support::items_of(op, box.path());
        std::erase_if(items, [](const flow::PullItem& item) { return item.target != "new"; });
        items.front().base = std::make_shared<const flow::PullBase>(flow::PullBase{"old", base, {}});
        return support::pull(op, support::dial_box(liar, box.path()), here / "d", std::move(items));
    }
};

}  // namespace

TEST_CASE("a difference to a file that was never named ends the connection") {
    Bench bench;
    const auto outcome = bench.pull(claim_base);
    REQUIRE(outcome.stopped);
    CHECK(outcome.stopped->code == Code::protocol);
    CHECK(bench.wrong(false).empty());
}

TEST_CASE("a difference that leads to wrong bytes is fetched again whole, and the file ends right") {
    BasedBench bench;
    const auto honest = bench.pull(unchanged);
    REQUIRE(!honest.stopped);
    CHECK(honest.tally.on_base == bench.fresh.size());
    CHECK(bench.wrong(true).empty());
    for (std::size_t n = 1; n < 4; ++n) {
        BasedBench again;
        const auto outcome = again.pull(flip_data(n));
        REQUIRE(!outcome.stopped);
        CHECK(outcome.tally.wrong_chunks == 1);
        CHECK(again.wrong(true).empty());
    }
}

TEST_CASE("no base is read outside the destination or through a link") {
    for (const std::string base : {"../outside", "link", "/etc/hostname", "dir/../old", "gone"}) {
        BasedBench bench;
        support::write_file(bench.here / "outside", bench.old);
        REQUIRE(::symlink((bench.here / "outside").c_str(), (bench.here / "d/link").c_str()) == 0);
        const auto outcome = bench.pull(unchanged, base);
        REQUIRE(!outcome.stopped);
        CHECK(outcome.tally.on_base == 0);
        CHECK(bench.wrong(true).empty());
    }
}
