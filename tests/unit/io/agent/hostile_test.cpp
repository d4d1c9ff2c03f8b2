// Agent's calls against helpers that keep the frames right and lie inside them.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <functional>

#include "core/proto/limits.hpp"
#include "io/agent/agent.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using proto::MessageType;

namespace {

const std::string k_nonce = "0123456789abcdef";

// Answers each request with what a function says.
class Liar final : public transport::Process {
  public:
    using Lie = std::function<void(const proto::Frame&, std::string& out)>;
    explicit Liar(Lie lie) : lie_(std::move(lie)) {
        out_ = proto::preamble(k_nonce);
        proto::Hello hello;
        hello.push_credit = 1U << 30U;
        hello.codecs = codec::supported();
        proto::append_frame(out_, MessageType::hello, 0, proto::encode(hello));
    }

    Result<transport::Step> step(const Op& op, std::string_view outgoing, bool) override {
        TRY(op.check());
        transport::Step step;
        step.sent = outgoing.size();
        decoder_.feed(outgoing);
        for (auto frame = decoder_.next(); frame && *frame; frame = decoder_.next()) {
            if ((*frame)->request != 0) lie_(**frame, out_);
        }
        current_ = std::exchange(out_, {});
        step.received = current_;
        if (current_.empty() && outgoing.empty()) step.exit = transport::Exit{};
        return step;
    }

  private:
    Lie lie_{};
    proto::FrameDecoder decoder_{};
    std::string out_{};
    std::string current_{};
};

template <class Message>
void say(std::string& out, std::uint32_t request, const Message& message) {
    proto::append_frame(out, Message::k_type, request, proto::encode(message));
}

void say_chunk(std::string& out, std::uint32_t request, proto::EncodedChunk chunk) {
    proto::Fragmenter fragments(std::move(chunk));
    while (!fragments.done())
        proto::append_frame(out, MessageType::data, request, fragments.next());
}

struct Victim {
    support::TestOp op{};
    std::unique_ptr<agent::Agent> agent{};

    explicit Victim(Liar::Lie lie) {
        auto session = agent::Session::start(op, std::make_unique<Liar>(std::move(lie)), k_nonce,
                                             agent::SessionOptions{.pull_window = 3U << 20U});  // liars wait for none
        REQUIRE(session);
        agent = agent::Agent::adopt(std::move(*session));
    }
};

proto::EncodedChunk sealed(std::uint32_t index, std::string_view raw) {
    codec::Codec codec;
    return codec.seal(index, raw, {});
}

proto::Read fenced_read(std::uint64_t size, std::vector<proto::ChunkRange> ranges) {
    proto::Read read;
    read.fence = proto::Fence{1, 2, size, 3};
    read.ranges = std::move(ranges);
    return read;
}

// The Code of a read answered with these chunks and an end, and what reached the sink.
struct ReadOutcome {
    Code code{Code::internal};
    std::string content{};
};

ReadOutcome read_of(const proto::Read& request, const std::vector<proto::EncodedChunk>& chunks) {
    Victim victim([&](const proto::Frame& frame, std::string& out) {
        if (frame.type != MessageType::read) return;
        for (const proto::EncodedChunk& chunk : chunks)
            say_chunk(out, frame.request, chunk);
        say(out, frame.request, proto::ReadEnd{});
    });
    ReadOutcome outcome;
    const auto end =
        victim.agent->read(victim.op, request, [&](std::uint32_t, std::string&& raw, const proto::Digest&) {
            outcome.content += raw;
            return ok();
        });
    if (!end) outcome.code = end.error().code;
    return outcome;
}

Code scan_of(const std::vector<std::string>& paths, std::uint64_t announced, const proto::Scan& request = {}) {
    Victim victim([&](const proto::Frame& frame, std::string& out) {
        if (frame.type != MessageType::scan) return;
        proto::Entries rows;
        for (const std::string& path : paths)
            rows.entries.emplace_back().path = path;
        const std::string raw = proto::encode(rows);
        say(out, frame.request, proto::ScanPage{proto::CodecId::stored, static_cast<std::uint32_t>(raw.size()), raw});
        say(out, frame.request, proto::ScanEnd{announced, 0, false, 0});
    });
    const auto end = victim.agent->scan(victim.op, request, [](proto::FileEntry&&) { return ok(); });
    return end ? Code::internal : end.error().code;
}

}  // namespace

TEST_CASE("chunks that were not asked for, out of order, too many or too few are refused") {
    const std::string mib(proto::k_chunk, 'm');
    const proto::Read two = fenced_read(proto::k_chunk + 3, {{0, 2}});
    CHECK(read_of(two, {sealed(0, mib), sealed(1, "end")}).code == Code::internal);
    CHECK(read_of(two, {sealed(1, "end"), sealed(0, mib)}).code == Code::integrity);
    CHECK(read_of(two, {sealed(0, mib), sealed(0, mib)}).code == Code::integrity);
    CHECK(read_of(two, {sealed(0, mib)}).code == Code::integrity);
    CHECK(read_of(two, {sealed(0, mib), sealed(1, "end"), sealed(2, "more")}).code == Code::integrity);
    CHECK(read_of(fenced_read(10, {}), {sealed(0, "0123456789")}).code == Code::integrity);
}

TEST_CASE("chunks of another size than the fence says, with a false leaf, on a base or an unasked codec are refused") {
    const proto::Read three = fenced_read(3, {{0, 1}});
    CHECK(read_of(three, {sealed(0, "abc")}).content == "abc");
    CHECK(read_of(three, {sealed(0, "abcd")}).code == Code::integrity);
    CHECK(read_of(three, {sealed(0, "ab")}).code == Code::integrity);
    proto::EncodedChunk lie = sealed(0, "abc");
    lie.leaf = proto::sha256("other");
    CHECK(read_of(three, {lie}).code == Code::integrity);
    CHECK(read_of(three, {lie}).content.empty());
    proto::EncodedChunk based = sealed(0, "abc");
    based.on_base = true;
    CHECK(read_of(three, {based}).code == Code::integrity);
    const std::string zeros(10'000, 'z');
    codec::Codec codec;
    const proto::EncodedChunk packed = codec.seal(0, zeros, codec::Choice{proto::codec_bit(proto::CodecId::zstd), 3});
    REQUIRE(packed.codec == proto::CodecId::zstd);
    CHECK(read_of(fenced_read(10'000, {{0, 1}}), {packed}).code == Code::integrity);
}

TEST_CASE("scanned names that could escape, repeat or go backwards are refused") {
    using Paths = std::vector<std::string>;
    CHECK(scan_of({"a", "a/b", "b"}, 3) == Code::internal);
    for (const Paths& paths : {Paths{"../x"}, Paths{"/etc"}, Paths{"a/../b"}, Paths{""}, Paths{"a", "a"},
                               Paths{"b", "a"}, Paths{"a/"}, Paths{std::string("a\0", 2)}})
        CHECK(scan_of(paths, paths.size()) == Code::protocol);
    CHECK(scan_of({"a", "b"}, 3) == Code::protocol);
    CHECK(scan_of({"a", "b"}, 2, proto::Scan{.max_entries = 1}) == Code::protocol);
}

TEST_CASE("a page that unpacks to more than announced is refused") {
    Victim victim([](const proto::Frame& frame, std::string& out) {
        codec::Codec codec;
        const std::string raw(500'000, 'x');
        const auto packed = codec.encode(raw, codec::Choice{proto::codec_bit(proto::CodecId::zstd), 3});
        say(out, frame.request, proto::ScanPage{packed.codec, 1000, packed.bytes});
    });
    const auto end = victim.agent->scan(victim.op, {}, [](proto::FileEntry&&) { return ok(); });
    REQUIRE_FALSE(end);
    CHECK(end.error().code == Code::protocol);
}

TEST_CASE("bundle records that repeat, lack, lie or grow are refused") {
    proto::ReadBundle request;
    request.items = {{"a", proto::Fence{1, 1, 3, 0}}, {"b", {}}};
    const auto record = [](std::uint32_t index, std::string content, std::optional<proto::Fence> fence = {}) {
        proto::BundleFile file;
        file.index = index;
        file.fence = fence;
        file.digest = proto::content_digest(content);
        file.content = std::move(content);
        return file;
    };
    const auto outcome = [&](const std::vector<proto::BundleFile>& files) {
        Victim victim([&](const proto::Frame& frame, std::string& out) {
            if (frame.type != MessageType::read_bundle) return;
            std::string raw;
            for (const proto::BundleFile& file : files)
                raw += proto::encode(file);
            say_chunk(out, frame.request, sealed(0, raw));
            say(out, frame.request, proto::ReadEnd{});
        });
        const auto end = victim.agent->read_bundle(victim.op, request, [](proto::BundleFile&&) { return ok(); });
        return end ? Code::internal : end.error().code;
    };
    const proto::Fence fence{1, 1, 3, 0};
    const auto a = record(0, "abc", fence);
    const auto b = record(1, "b");
    CHECK(outcome({a, b}) == Code::internal);
    CHECK(outcome({a}) == Code::integrity);
    CHECK(outcome({b, a}) == Code::integrity);
    CHECK(outcome({a, a}) == Code::integrity);
    CHECK(outcome({a, b, record(2, "c")}) == Code::integrity);
    CHECK(outcome({record(0, "abcd", fence), b}) == Code::integrity);
    CHECK(outcome({record(0, "abc", proto::Fence{1, 9, 3, 0}), b}) == Code::integrity);
    auto lie = a;
    lie.content = "abd";
    CHECK(outcome({lie, b}) == Code::integrity);
    auto failed = b;
    failed.reason = proto::Reason::not_found;
    CHECK(outcome({a, failed}) == Code::integrity);
    failed.content.clear();
    CHECK(outcome({a, failed}) == Code::internal);
}

TEST_CASE("a chunk the box could not verify is sent again, three times at most") {
    for (const int bad : {0, 2, 3}) {
        int left = bad;
        int sent = 0;
        Victim victim([&](const proto::Frame& frame, std::string& out) {
            if (frame.type == MessageType::data) {
                ++sent;
                say(out, frame.request,
                    proto::WriteAck{0, left-- > 0 ? proto::Reason::integrity : proto::Reason::none});
            }
            if (frame.type == MessageType::write_end) say(out, frame.request, proto::Written{});
        });
        proto::Write request;
        request.size = 3;
        const auto written = victim.agent->write(
            victim.op, {}, request, {}, [](std::uint32_t) -> Result<std::string> { return std::string("abc"); });
        CHECK(written.has_value() == (bad < 3));
        CHECK(sent == std::min(bad + 1, 3));
        if (!written) CHECK(written.error().code == Code::integrity);
    }
}

TEST_CASE("a block of small files the box could not verify is sent again, three times at most") {
    for (const int bad : {0, 2, 3}) {
        int left = bad;
        Victim victim([&](const proto::Frame& frame, std::string& out) {
            if (frame.type == MessageType::data) {
                proto::BundleAck ack;
                ack.files = 1;
                if (left-- > 0) ack = proto::BundleAck{0, proto::Reason::integrity, 0, {}};
                say(out, frame.request, ack);
            }
            if (frame.type == MessageType::write_end) say(out, frame.request, proto::Written{});
        });
        int given = 0;
        const auto written =
            victim.agent->write_bundle(victim.op, {}, {}, false, [&]() -> Result<std::optional<proto::NewFile>> {
                if (given++ > 0) return std::optional<proto::NewFile>{};
                return std::optional<proto::NewFile>{proto::NewFile{0, "f", 0644, {}, proto::content_digest("x"), "x"}};
            });
        CHECK(written.has_value() == (bad < 3));
        if (written) CHECK(written->files == 1);
        if (!written) CHECK(written.error().code == Code::integrity);
    }
}

TEST_CASE("acks for what was not sent, or that never come, are no success") {
    const auto outcome = [](const std::vector<proto::WriteAck>& acks) {
        Victim victim([&](const proto::Frame& frame, std::string& out) {
            if (frame.type != MessageType::write_end) return;
            for (const proto::WriteAck& ack : acks)
                say(out, frame.request, ack);
            say(out, frame.request, proto::Written{1, 0});
        });
        proto::Write request;
        request.size = 3;
        const auto written = victim.agent->write(
            victim.op, {}, request, {}, [](std::uint32_t) -> Result<std::string> { return std::string("abc"); });
        return written ? Code::internal : written.error().code;
    };
    CHECK(outcome({{0, proto::Reason::none}}) == Code::internal);
    CHECK(outcome({{7, proto::Reason::none}}) == Code::protocol);
    CHECK(outcome({{0, proto::Reason::none}, {0, proto::Reason::none}}) == Code::protocol);
    CHECK(outcome({}) == Code::integrity);
}

TEST_CASE("answers of the wrong type, for other files, or longer than asked for are refused") {
    Victim wrong([](const proto::Frame& frame, std::string& out) { say(out, frame.request, proto::Synced{}); });
    const auto stat = wrong.agent->stat(wrong.op, 1, {"a"});
    REQUIRE_FALSE(stat);
    CHECK(stat.error().code == Code::protocol);

    Victim other([](const proto::Frame& frame, std::string& out) {
        proto::Entries rows;
        rows.entries.emplace_back().path = "b";
        say(out, frame.request, rows);
    });
    CHECK_FALSE(other.agent->stat(other.op, 1, {"a"}));
    CHECK_FALSE(other.agent->stat(other.op, 1, {"b", "b"}));
    CHECK(other.agent->stat(other.op, 1, {"b"}));

    Victim longer([](const proto::Frame& frame, std::string& out) {
        say(out, frame.request, proto::Small{{}, std::string(100, 'x')});
    });
    CHECK_FALSE(longer.agent->read_small(longer.op, 1, "f", 0, 99));
    CHECK(longer.agent->read_small(longer.op, 1, "f", 0, 100));
}

TEST_CASE("leaves out of order, unasked or without end are refused") {
    const auto outcome = [](const proto::Hash& request, std::uint64_t first) {
        Victim victim([&](const proto::Frame& frame, std::string& out) {
            say(out, frame.request, proto::Leaves{first, {proto::sha256("x")}});
            say(out, frame.request, proto::Hashed{});
        });
        return victim.agent->hash(victim.op, request).has_value();
    };
    CHECK(outcome({.first = 4, .leaves = true}, 4));
    CHECK_FALSE(outcome({.first = 4, .leaves = true}, 5));
    CHECK_FALSE(outcome({.first = 4, .leaves = false}, 4));
}
