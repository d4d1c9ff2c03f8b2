// The serve loop: start, order, limits, credit, and every way to end.
#include "helper/server.hpp"

#include <unistd.h>

#include "core/proto/limits.hpp"
#include "support/fake_clock.hpp"
#include "unit/helper/fixture.hpp"

using namespace drawhitch;
using namespace drawhitch::test;
using proto::MessageType;

namespace {

// A client that speaks frames by hand.
class RawClient {
  public:
    explicit RawClient(milliseconds silence = milliseconds{30'000}, Clock& clock = system_clock())
        : helper_(silence, clock), pipes_(helper_.take_pipes()) {
        while (!*finder_.feed(read_some())) {
        }
        decoder_.feed(finder_.take_rest());
    }

    proto::Frame next() {
        for (;;) {
            auto frame = decoder_.next();
            REQUIRE(frame);
            if (*frame) return std::move(**frame);
            const std::string bytes = read_some();
            REQUIRE_FALSE(bytes.empty());
            decoder_.feed(bytes);
        }
    }
    template <class Message>
    Message expect() {
        const proto::Frame frame = next();
        INFO("got " << proto::name(frame.type));
        REQUIRE(frame.type == Message::k_type);
        return *proto::decode<Message>(frame.payload);
    }
    template <class Message>
    void send(std::uint32_t request, const Message& message) {
        send_payload(Message::k_type, request, proto::encode(message));
    }
    void send_payload(MessageType type, std::uint32_t request, std::string_view payload) {
        std::string bytes;
        proto::append_frame(bytes, type, request, payload);
        send_bytes(bytes);
    }
    void send_bytes(std::string_view bytes) const { (void)write_all(pipes_.to_helper.get(), bytes, "the helper"); }
    void greet(std::uint64_t pull_credit = 1U << 20U) {
        expect<proto::Hello>();
        proto::ClientHello hello;
        hello.pull_credit = pull_credit;
        send(0, hello);
    }
    // Opens and claims roots 1 at `path`.
    void open(const std::string& path) {
        send(1, proto::OpenRoot{1, path, true});
        expect<proto::RootOpened>();
        send(2, proto::Claim{1, 1, k_owner_a, false, {}});
        expect<proto::Claimed>();
    }
    void hang_up() { pipes_.to_helper.reset(); }
    helper::Ended ended() {
        while (!read_some().empty()) {
        }
        return helper_.wait();
    }
    proto::Fatal fatal() { return expect<proto::Fatal>(); }

  private:
    std::string read_some() const {
        std::string buffer(65'536, '\0');
        const ssize_t count = ::read(pipes_.from_helper.get(), buffer.data(), buffer.size());
        buffer.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        return buffer;
    }

    support::InProcessHelper helper_;
    support::HelperPipes pipes_;
    proto::PreambleFinder finder_{support::InProcessHelper::k_nonce};
    proto::FrameDecoder decoder_{};
};

std::string data_payload(std::size_t size) {
    proto::EncodedChunk chunk;
    chunk.raw_size = static_cast<std::uint32_t>(size);
    chunk.bytes = std::string(size, 'x');
    chunk.leaf = proto::leaf_digest(chunk.bytes);
    return proto::Fragmenter(std::move(chunk)).next();
}

}  // namespace

TEST_CASE("the helper speaks first and says who and where it is") {
    RawClient client;
    const auto hello = client.expect<proto::Hello>();
    CHECK(hello.version_min == 1);
    CHECK(hello.build_id == support::InProcessHelper::k_build_id);
    CHECK(hello.pid == static_cast<std::uint32_t>(::getpid()));
    CHECK(hello.boot_id.size() == 36);
    CHECK(hello.wall_seconds > 1'700'000'000);
    CHECK(hello.push_credit == proto::k_push_credit);
    CHECK(hello.silence_seconds == 30);
    CHECK(proto::allows(hello.codecs, proto::CodecId::zstd));
}

TEST_CASE("end of input and bye end the helper cleanly") {
    RawClient one;
    one.greet();
    one.hang_up();
    CHECK(one.ended() == helper::Ended::finished);
    RawClient two;
    two.greet();
    two.send_payload(MessageType::bye, 0, {});
    CHECK(two.ended() == helper::Ended::finished);
    RawClient before_hello;
    before_hello.hang_up();
    CHECK(before_hello.ended() == helper::Ended::finished);
}

TEST_CASE("a client that stays silent loses the helper") {
    RawClient silent(milliseconds{50});
    silent.greet();
    CHECK(silent.ended() == helper::Ended::silence);
    RawClient never_greets(milliseconds{50});
    CHECK(never_greets.ended() == helper::Ended::silence);
}

TEST_CASE("a client that pings in time keeps the helper for ever") {
    support::FakeClock clock;
    RawClient client(milliseconds{30'000}, clock);
    client.greet();
    for (std::uint64_t token = 1; token < 20; ++token) {
        clock.advance(milliseconds{29'000});
        client.send(0, proto::Ping{token});
        CHECK(client.expect<proto::Pong>().token == token);
    }
}

TEST_CASE("pings are answered while a long request runs") {
    support::TempDir dir;
    support::write_file(dir / "big", noise(24U << 20U));
    RawClient client;
    client.greet();
    client.send(1, proto::OpenRoot{1, dir.path(), false});
    proto::Hash hash;
    hash.root = 1;
    hash.path = "big";
    client.send(2, hash);
    client.send(0, proto::Ping{42});
    // Hashing takes several steps; the ping acts at once, whatever the requests are at.
    bool ponged = false;
    for (proto::Frame frame = client.next(); frame.type != MessageType::hashed; frame = client.next())
        ponged = ponged || frame.type == MessageType::pong;
    CHECK(ponged);
}

TEST_CASE("unknown and malformed requests are refused, and the connection goes on") {
    RawClient client;
    client.greet();
    client.send_payload(static_cast<MessageType>(0x7E), 1, "?");
    CHECK(client.expect<proto::Refusal>().reason == proto::Reason::unknown_message);
    client.send_payload(MessageType::scan, 2, "not a scan");
    CHECK(client.expect<proto::Refusal>().reason == proto::Reason::malformed);
    client.send_payload(MessageType::scan_end, 3, {});
    CHECK(client.expect<proto::Refusal>().reason == proto::Reason::unknown_message);
    client.send(4, proto::Sync{9});
    CHECK(client.expect<proto::Refusal>().reason == proto::Reason::bad_root);
    client.send(0, proto::Ping{1});
    client.expect<proto::Pong>();
}

TEST_CASE("a broken frame is fatal") {
    RawClient client;
    client.greet();
    client.send_bytes("this is no frame at all, but long enough for a header");
    CHECK(client.fatal().reason == proto::Reason::framing);
    CHECK(client.ended() == helper::Ended::protocol);
}

TEST_CASE("nothing but a client hello may come first, and its version must be one we speak") {
    RawClient eager;
    eager.expect<proto::Hello>();
    eager.send(0, proto::Ping{1});
    CHECK(eager.fatal().reason == proto::Reason::malformed);
    CHECK(eager.ended() == helper::Ended::protocol);

    RawClient future;
    future.expect<proto::Hello>();
    proto::ClientHello hello;
    hello.version = 9;
    future.send(0, hello);
    const proto::Fatal fatal = future.fatal();
    CHECK(fatal.reason == proto::Reason::version);
    CHECK(fatal.text.find("1 to 1") != std::string::npos);
}

TEST_CASE("request numbers rise strictly") {
    for (const auto& [first, second] : {std::pair{5U, 5U}, std::pair{5U, 4U}, std::pair{5U, 0U}}) {
        RawClient client;
        client.greet();
        client.send(first, proto::Sync{9});
        client.expect<proto::Refusal>();
        client.send(second, proto::Sync{9});
        CHECK(client.fatal().reason == proto::Reason::malformed);
    }
}

TEST_CASE("data for a number that was never used is fatal, data for an answered request is dropped") {
    RawClient client;
    client.greet();
    client.send(3, proto::Sync{9});
    client.expect<proto::Refusal>();
    client.send_payload(MessageType::data, 3, data_payload(100));
    client.send(3, proto::WriteEnd{});
    client.send(0, proto::Ping{1});
    client.expect<proto::Pong>();
    client.send_payload(MessageType::data, 4, data_payload(100));
    CHECK(client.fatal().reason == proto::Reason::malformed);
}

TEST_CASE("data beyond the granted credit is fatal, also for requests that failed") {
    support::TempDir dir;
    support::write_file(dir / "file", noise(1000));
    RawClient client;
    client.greet(0);
    client.send(1, proto::Sync{9});
    client.expect<proto::Refusal>();
    client.send(2, proto::OpenRoot{1, dir.path(), false});
    client.expect<proto::RootOpened>();
    // A read without credit holds everything behind it back, so that nothing is granted meanwhile.
    proto::Read read;
    read.root = 1;
    read.path = "file";
    read.ranges = {{0, 1}};
    client.send(3, read);
    std::string allowed;
    const std::string payload(proto::k_data_payload_max, 'x');
    std::size_t sent = 0;
    for (; sent + payload.size() <= proto::k_push_credit; sent += payload.size())
        proto::append_frame(allowed, MessageType::data, 1, payload);
    client.send_bytes(allowed);
    client.send(0, proto::Ping{1});
    client.expect<proto::Pong>();
    client.send_payload(MessageType::data, 1, payload);
    CHECK(client.fatal().reason == proto::Reason::credit);
    CHECK(client.ended() == helper::Ended::protocol);
}

TEST_CASE("data that is dropped gives its credit back") {
    RawClient client;
    client.greet();
    client.send(1, proto::Sync{9});
    client.expect<proto::Refusal>();
    const std::string payload(proto::k_data_payload_max, 'x');
    for (std::size_t sent = 0; sent < 3 * proto::k_push_credit / 4; sent += payload.size())
        client.send_payload(MessageType::data, 1, payload);
    CHECK(client.expect<proto::Credit>().limit > proto::k_push_credit);
}

TEST_CASE("the helper sends no data beyond the credit it has, and goes on as more is granted") {
    support::TempDir dir;
    const std::string content = noise((1U << 20U) + 5000);
    support::write_file(dir / "file", content);
    RawClient client;
    client.greet(proto::k_data_payload_max + 10);
    client.send(1, proto::OpenRoot{1, dir.path(), false});
    client.expect<proto::RootOpened>();
    proto::Read read;
    read.root = 1;
    read.path = "file";
    read.ranges = {{0, 2}};
    client.send(2, read);
    std::uint64_t limit = proto::k_data_payload_max + 10;
    std::uint64_t received = 0;
    std::uint64_t token = 0;
    for (bool open = true; open;) {
        // Behind the pong nothing more can be under way: what the credit allows was sent before.
        client.send(0, proto::Ping{++token});
        for (bool ponged = false; !ponged;) {
            const proto::Frame frame = client.next();
            if (frame.type == MessageType::data) received += frame.payload.size();
            if (frame.type == MessageType::read_end) open = false;
            ponged = frame.type == MessageType::pong;
        }
        CHECK(received <= limit);
        limit = received + proto::k_data_payload_max;
        client.send(0, proto::Credit{limit});
        REQUIRE(token < 100);
    }
    CHECK(received > content.size());
}

TEST_CASE("credit never falls") {
    support::TempDir dir;
    support::write_file(dir / "file", noise(1000));
    RawClient client;
    client.greet();
    client.send(0, proto::Credit{0});
    client.send(1, proto::OpenRoot{1, dir.path(), false});
    client.expect<proto::RootOpened>();
    proto::Read read;
    read.root = 1;
    read.path = "file";
    read.ranges = {{0, 1}};
    client.send(2, read);
    CHECK(client.next().type == MessageType::data);
    client.expect<proto::ReadEnd>();
}

TEST_CASE("requests are served in the order they came, chains in one flight") {
    support::TempDir dir;
    RawClient client;
    client.greet();
    client.send(1, proto::OpenRoot{1, dir.path(), false});
    client.send(2, proto::Claim{1, 7, k_owner_a, false, {}});
    client.send(3, proto::Write{1, 7, "part", 3, true});
    proto::EncodedChunk chunk;
    chunk.raw_size = 3;
    chunk.bytes = "abc";
    chunk.leaf = proto::leaf_digest("abc");
    client.send_payload(MessageType::data, 3, proto::Fragmenter(chunk).next());
    client.send(3, proto::WriteEnd{});
    proto::Commit commit;
    commit.root = 1;
    commit.epoch = 7;
    commit.part = "part";
    commit.path = "file";
    commit.size = 3;
    commit.digest = proto::content_digest("abc");
    client.send(4, commit);
    client.expect<proto::RootOpened>();
    CHECK(client.expect<proto::Claimed>().epoch == 7);
    CHECK(client.expect<proto::WriteAck>().reason == proto::Reason::none);
    CHECK(client.expect<proto::Written>().chunks == 1);
    CHECK(client.expect<proto::Committed>().fence.size == 3);
    CHECK(support::read_file(dir / "file") == "abc");
}

TEST_CASE("cancel ends the running request and drops a waiting one; each is answered once") {
    support::TempDir dir;
    support::write_file(dir / "file", noise(2U << 20U));
    RawClient client;
    client.greet(100);  // too little for any data: the read waits for ever
    client.send(1, proto::OpenRoot{1, dir.path(), false});
    client.expect<proto::RootOpened>();
    proto::Read read;
    read.root = 1;
    read.path = "file";
    read.ranges = {{0, 2}};
    client.send(2, read);
    client.send(3, proto::Sync{1});
    client.send(4, proto::Sync{1});
    client.send_payload(MessageType::cancel, 3, {});
    client.send_payload(MessageType::cancel, 2, {});
    client.send_payload(MessageType::cancel, 2, {});
    client.send_payload(MessageType::cancel, 77, {});
    const proto::Frame waiting = client.next();
    CHECK(waiting.request == 3);
    const proto::Frame running = client.next();
    CHECK(running.request == 2);
    CHECK(proto::decode<proto::Refusal>(running.payload)->reason == proto::Reason::cancelled);
    CHECK(client.next().request == 4);
}

TEST_CASE("a cancelled write is answered and the data behind it dropped") {
    support::TempDir dir;
    RawClient client;
    client.greet();
    client.open(dir / "root");
    client.send(3, proto::Write{1, 1, "part", 1000, true});
    client.send_payload(MessageType::cancel, 3, {});
    client.send_payload(MessageType::data, 3, data_payload(1000));
    client.send(3, proto::WriteEnd{});
    CHECK(client.expect<proto::Refusal>().reason == proto::Reason::cancelled);
    client.send(4, proto::Sync{1});
    client.expect<proto::Synced>();
}

TEST_CASE("more waiting requests than allowed are fatal") {
    support::TempDir dir;
    support::write_file(dir / "file", noise(1000));
    RawClient client;
    client.greet(0);
    client.send(1, proto::OpenRoot{1, dir.path(), false});
    client.expect<proto::RootOpened>();
    proto::Read read;
    read.root = 1;
    read.path = "file";
    read.ranges = {{0, 1}};
    std::string flood;
    proto::append_frame(flood, MessageType::read, 2, proto::encode(read));
    for (std::uint32_t i = 3; i < proto::k_requests_max + 10; ++i)
        proto::append_frame(flood, MessageType::sync, i, proto::encode(proto::Sync{1}));
    client.send_bytes(flood);
    CHECK(client.fatal().reason == proto::Reason::limit);
    CHECK(client.ended() == helper::Ended::protocol);
}

TEST_CASE("the client learns its own build from the helper's hello and measures the round trip") {
    Box box;
    CHECK(box.agent->hello().build_id == support::InProcessHelper::k_build_id);
    CHECK(box.agent->session().ping(box.op));
    CHECK(box.agent->session().traffic().sent > 0);
    const auto exit = box.agent->session().close(box.op);
    REQUIRE(exit);
    CHECK(box.helper.wait() == helper::Ended::finished);
    CHECK(code_of(box.agent->sync(box.op, box.root)) == Code::link_lost);
}
