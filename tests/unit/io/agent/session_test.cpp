// Session against helpers that are missing, late, of another version, or hostile.
#include "io/agent/session.hpp"

#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <functional>

#include "core/proto/limits.hpp"
#include "core/proto/messages_data.hpp"
#include "core/proto/refusal.hpp"
#include "io/agent/agent.hpp"
#include "support/fake_clock.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using proto::MessageType;

namespace {

const std::string k_nonce = "0123456789abcdef";

// A helper made of a script: what it says, in pieces, and what it does with each frame it hears.
class ScriptedHelper final : public transport::Process {
  public:
    std::deque<std::string> out{};
    std::deque<std::string> err{};
    std::optional<transport::Exit> exit{};
    std::function<std::string(const proto::Frame&)> answer{};
    std::optional<std::chrono::nanoseconds> path{};  // its round trip, as the kernel sees it
    support::FakeClock* clock{nullptr};              // a step that has nothing to do takes `idle` of it
    milliseconds idle{1000};
    std::vector<proto::Frame> heard{};

    Result<transport::Step> step(const Op& op, std::string_view outgoing, bool) override {
        TRY(op.check());
        transport::Step step;
        step.sent = outgoing.size();
        listen(outgoing);
        if (!err.empty()) {
            step.stream = transport::Stream::err;
            step.received = next(err);
        } else if (!out.empty()) {
            step.received = next(out);
        } else if (exit) {
            step.exit = exit;
        } else if (step.sent == 0) {
            if (clock == nullptr) return Error{Code::stalled, Retry::reconnect, "the test has nothing more to say"};
            clock->advance(idle);
            TRY(op.check());
        }
        return step;
    }

    [[nodiscard]] std::optional<std::chrono::nanoseconds> path_round_trip() const override { return path; }

    template <class Message>
    static std::string frame(std::uint32_t request, const Message& message) {
        std::string bytes;
        proto::append_frame(bytes, Message::k_type, request, proto::encode(message));
        return bytes;
    }
    static std::string hello(const proto::Hello& message = {}) { return proto::preamble(k_nonce) + frame(0, message); }

  private:
    std::string_view next(std::deque<std::string>& from) {
        current_ = std::move(from.front());
        from.pop_front();
        return current_;
    }
    void listen(std::string_view bytes) {
        decoder_.feed(bytes);
        for (auto frame = decoder_.next(); frame && *frame; frame = decoder_.next()) {
            if (answer) {
                if (std::string said = answer(**frame); !said.empty()) out.push_back(std::move(said));
            }
            heard.push_back(std::move(**frame));
        }
    }

    proto::FrameDecoder decoder_{};
    std::string current_{};
};

Result<std::unique_ptr<agent::Session>> start(const Op& op, std::unique_ptr<ScriptedHelper> helper,
                                              const agent::SessionOptions& options = {}) {
    return agent::Session::start(op, std::move(helper), k_nonce, options);
}

// A started session and the helper behind it, which the session owns.
struct Started {
    support::TestOp op{};
    ScriptedHelper* helper{nullptr};
    std::unique_ptr<agent::Session> session{};

    explicit Started(const agent::SessionOptions& options = {}) {
        auto made = std::make_unique<ScriptedHelper>();
        helper = made.get();
        helper->out.push_back(ScriptedHelper::hello());
        auto begun = start(op, std::move(made), options);
        REQUIRE(begun);
        session = std::move(*begun);
    }
};

template <class T>
Error error_of(Result<T> result) {
    REQUIRE_FALSE(result);
    return std::move(result).error();
}

std::string data_frame(std::uint32_t request, std::size_t payload) {
    std::string bytes;
    proto::append_frame(bytes, MessageType::data, request, std::string(payload, 'x'));
    return bytes;
}

}  // namespace

TEST_CASE("a session starts behind noise, on both streams, cut anywhere") {
    const std::string stream = std::string("Last login: today\n\xFF") + '\0' + ScriptedHelper::hello();
    for (std::size_t piece : {1U, 7U, 64U}) {
        support::TestOp op;
        auto helper = std::make_unique<ScriptedHelper>();
        helper->err.push_back("warning: locale\n");
        for (std::size_t at = 0; at < stream.size(); at += piece)
            helper->out.push_back(stream.substr(at, piece));
        const auto session = start(op, std::move(helper));
        REQUIRE(session);
        CHECK((*session)->hello().version_max == 1);
    }
}

TEST_CASE("whatever answers in the helper's place is told apart") {
    struct Row {
        std::string out{};
        std::string err{};
        transport::Exit exit{};
        Code code{};
    };
    const std::vector<Row> rows{
        {"", "sh: 1: exec: /x/helper: not found\n", {127, {}}, Code::not_found},
        {"", "zsh: no such file or directory: /x/helper\n", {127, {}}, Code::not_found},
        {"", "/x/helper: Command not found.\n", {1, {}}, Code::not_found},
        {"", "sh: 1: exec: /x/helper: Permission denied\n", {126, {}}, Code::noexec},
        {"", "bash: /x/helper: cannot execute binary file: Exec format error\n", {126, {}}, Code::noexec},
        {"", "", {126, {}}, Code::noexec},
        {"This account is not available.\n", "", {1, {}}, Code::shell_missing},
        {"", "", {0, {}}, Code::shell_missing},
        {std::string(proto::k_noise_max + 100, 'n'), "", {0, {}}, Code::shell_missing},
    };
    for (const Row& row : rows) {
        support::TestOp op;
        auto helper = std::make_unique<ScriptedHelper>();
        if (!row.err.empty()) helper->err.push_back(row.err);
        if (!row.out.empty()) helper->out.push_back(row.out);
        helper->exit = row.exit;
        const Error error = error_of(start(op, std::move(helper)));
        CAPTURE(row.err, row.out.substr(0, 50));
        CHECK(error.code == row.code);
        if (!row.err.empty()) CHECK(error.why.find("the box said: ") == 0);
    }
}

TEST_CASE("a helper that never speaks is given up after the hello timeout, which is not the caller's deadline") {
    support::FakeClock clock;
    const Instant before = clock.now();
    support::TestOp op(clock, milliseconds{600'000});
    auto helper = std::make_unique<ScriptedHelper>();
    helper->clock = &clock;
    agent::SessionOptions options;
    options.hello_timeout = milliseconds{5000};
    CHECK(error_of(start(op, std::move(helper), options)).code == Code::shell_missing);
    CHECK(clock.now() - before < std::chrono::seconds(20));
}

TEST_CASE("versions that do not meet are refused by name") {
    support::TestOp op;
    auto helper = std::make_unique<ScriptedHelper>();
    proto::Hello future;
    future.version_min = 7;
    future.version_max = 9;
    helper->out.push_back(ScriptedHelper::hello(future));
    const Error error = error_of(start(op, std::move(helper)));
    CHECK(error.code == Code::protocol);
    CHECK(error.why.find("7 to 9") != std::string::npos);
    // One that speaks newer versions beside ours is asked for ours.
    auto both = std::make_unique<ScriptedHelper>();
    future.version_min = 1;
    both->out.push_back(ScriptedHelper::hello(future));
    ScriptedHelper* helper_seen = both.get();
    const auto session = start(op, std::move(both));
    REQUIRE(session);
    CHECK((*session)->keep_alive(op));
    REQUIRE(helper_seen->heard.size() == 2);
    CHECK(helper_seen->heard[1].type == proto::MessageType::ping);
    CHECK(proto::decode<proto::ClientHello>(helper_seen->heard[0].payload)->version == 1);
}

TEST_CASE("nothing is sent before the helper has spoken") {
    support::TestOp op;
    auto helper = std::make_unique<ScriptedHelper>();
    ScriptedHelper* seen = helper.get();
    for (const char byte : ScriptedHelper::hello()) {
        helper->out.emplace_back(1, byte);
        helper->answer = [seen](const proto::Frame&) {
            CHECK(seen->out.empty());
            return std::string();
        };
    }
    const auto session = start(op, std::move(helper));
    REQUIRE(session);
    CHECK((*session)->keep_alive(op));
    CHECK(seen->heard.size() == 2);
}

TEST_CASE("the client pings by itself while it waits, at least every five seconds") {
    support::FakeClock clock;
    support::TestOp op(clock, milliseconds{26'000});
    auto made = std::make_unique<ScriptedHelper>();
    ScriptedHelper* helper = made.get();
    helper->out.push_back(ScriptedHelper::hello());
    helper->clock = &clock;
    const auto session = start(op, std::move(made));
    REQUIRE(session);
    CHECK(error_of((*session)->receive(op)).code == Code::deadline);
    std::size_t pings = 0;
    for (const proto::Frame& frame : helper->heard)
        if (frame.type == MessageType::ping) ++pings;
    CHECK(pings >= 4);
}

TEST_CASE("data beyond the granted window kills the session") {
    agent::SessionOptions options;
    options.pull_window = 300'000;
    Started started(options);
    const std::uint32_t request = started.session->submit(proto::Read{});
    for (int i = 0; i < 4; ++i)
        started.helper->out.push_back(data_frame(request, proto::k_data_payload_max));
    Code code = Code::internal;
    for (int i = 0; i < 5 && code == Code::internal; ++i) {
        // Nothing is taken out of the queue, so nothing is granted: keep_alive only collects.
        if (auto alive = started.session->keep_alive(started.op); !alive) code = alive.error().code;
    }
    CHECK(code == Code::protocol);
    // What was within the window is still delivered, then the error again.
    auto frame = started.session->receive(started.op);
    while (frame)
        frame = started.session->receive(started.op);
    CHECK(frame.error().code == Code::protocol);
}

TEST_CASE("credit is granted as data is received, and rises only") {
    agent::SessionOptions options;
    options.pull_window = 300'000;
    Started started(options);
    const std::uint32_t request = started.session->submit(proto::Read{});
    for (int i = 0; i < 20; ++i) {
        started.helper->out.push_back(data_frame(request, proto::k_fragment));
        REQUIRE(started.session->receive(started.op));
    }
    started.session->set_pull_window(10);
    REQUIRE(started.session->keep_alive(started.op));
    std::uint64_t last = 0;
    for (const proto::Frame& frame : started.helper->heard) {
        if (frame.type != MessageType::credit) continue;
        const std::uint64_t limit = proto::decode<proto::Credit>(frame.payload)->limit;
        CHECK(limit > last);
        last = limit;
    }
    CHECK(last > 20 * proto::k_fragment);
    CHECK(last <= 20 * proto::k_fragment + 300'000);
}

TEST_CASE("answers to requests that were never made, and what only a client may say, kill the session") {
    proto::Refusal refusal;
    for (const std::string& bytes :
         {ScriptedHelper::frame(99, refusal), ScriptedHelper::frame(0, refusal), data_frame(99, 10), data_frame(0, 10),
          ScriptedHelper::frame(0, proto::Ping{1}), ScriptedHelper::frame(0, proto::ClientHello{}),
          std::string("no frame at all, just text that goes on")}) {
        Started started;
        started.session->submit(proto::Sync{});
        started.helper->out.push_back(bytes);
        CHECK(error_of(started.session->receive(started.op)).code == Code::protocol);
    }
}

TEST_CASE("a fatal frame carries its reason to the caller") {
    Started started;
    started.helper->out.push_back(ScriptedHelper::frame(0, proto::Fatal{proto::Reason::silence, "too quiet"}));
    const Error error = error_of(started.session->receive(started.op));
    CHECK(error.code == Code::link_lost);
    CHECK(error.retry == Retry::reconnect);
    CHECK(error.why == "too quiet");
}

TEST_CASE("a helper that ends is reported with its exit and its last words") {
    Started started;
    started.helper->err.push_back("Killed\x1b[0m\n");
    started.helper->exit = transport::Exit{137, "KILL"};
    const Error error = error_of(started.session->receive(started.op));
    CHECK(error.code == Code::link_lost);
    CHECK(error.why.find("KILL") != std::string::npos);
    CHECK(error.why.find("Killed") != std::string::npos);
    CHECK(error.why.find('\x1b') == std::string::npos);
}

TEST_CASE("answers that came before the end are still delivered") {
    Started started;
    const std::uint32_t request = started.session->submit(proto::Sync{});
    started.helper->out.push_back(ScriptedHelper::frame(request, proto::Synced{}));
    started.helper->exit = transport::Exit{};
    const auto frame = started.session->receive(started.op);
    REQUIRE(frame);
    CHECK(frame->type == MessageType::synced);
    CHECK(error_of(started.session->receive(started.op)).code == Code::link_lost);
}

TEST_CASE("what nobody waits for any more is dropped, whether it has come or is to come") {
    Started started;
    const std::uint32_t left = started.session->submit(proto::Sync{});
    const std::uint32_t early = started.session->submit(proto::Sync{});
    const std::uint32_t wanted = started.session->submit(proto::Sync{});
    for (const std::uint32_t request : {early, left, wanted})
        started.helper->out.push_back(ScriptedHelper::frame(request, proto::Synced{}));
    while (!started.helper->out.empty() && started.helper->out.size() > 2)
        REQUIRE(started.session->keep_alive(started.op));
    started.session->forget(early);
    started.session->forget(left);
    const auto frame = started.session->receive(started.op);
    REQUIRE(frame);
    CHECK(frame->request == wanted);
}

TEST_CASE("a flood of control frames has a bound") {
    Started started;
    const std::uint32_t request = started.session->submit(proto::Sync{});
    const std::string page = ScriptedHelper::frame(request, proto::ScanPage{{}, 0, std::string(1'000'000, 'x')});
    Code code = Code::internal;
    for (int i = 0; i < 100 && code == Code::internal; ++i) {
        started.helper->out.push_back(page);
        if (auto alive = started.session->keep_alive(started.op); !alive) code = alive.error().code;
    }
    CHECK(code == Code::protocol);
}

TEST_CASE("a push stops at the helper's credit and goes on as more is granted") {
    Started started;
    CHECK(started.session->push_credit() == 0);
    const std::uint32_t request = started.session->submit(proto::Write{});
    std::uint64_t limit = 0;
    std::uint64_t received = 0;
    started.helper->answer = [&](const proto::Frame& frame) {
        if (frame.type == MessageType::data) received += frame.payload.size();
        CHECK(received <= limit);
        return std::string();
    };
    started.helper->clock = nullptr;
    codec::Codec codec;
    const proto::EncodedChunk chunk = codec.seal(0, std::string(700'000, 'r'), {});
    for (int i = 0; i < 10; ++i) {
        limit += proto::k_data_payload_max;
        started.helper->out.push_back(ScriptedHelper::frame(0, proto::Credit{limit}));
    }
    REQUIRE(started.session->send_chunk(started.op, request, chunk));
    REQUIRE(started.session->keep_alive(started.op));
    CHECK(received > 700'000);
}

TEST_CASE("a path that holds very little never keeps a push from its next frame while the helper still owes credit") {
    support::FakeClock clock;
    const support::TestOp op{clock};
    auto made = std::make_unique<ScriptedHelper>();
    ScriptedHelper& helper = *made;
    helper.path = milliseconds{20};
    proto::Hello hello{};
    hello.push_credit = proto::k_push_credit;
    helper.out.push_back(ScriptedHelper::hello(hello));
    auto begun = start(op, std::move(made));
    REQUIRE(begun);
    agent::Session& session = **begun;
    // A few bytes in each round, and a queue on the way: what may be in flight shrinks to its least.
    const std::uint64_t before = session.push_credit();
    helper.path = milliseconds{60};
    std::uint64_t limit = hello.push_credit;
    for (int round = 0; round < 60; ++round) {
        clock.advance(milliseconds{100});
        limit += 100;
        helper.out.push_back(ScriptedHelper::frame(0, proto::Credit{limit}));
        REQUIRE(session.keep_alive(op));
    }
    REQUIRE(session.push_credit() < before);
    // The helper tells what it has consumed in steps of this size, so as much may be there, unacknowledged.
    const std::uint64_t acknowledged = limit - hello.push_credit;
    const std::uint64_t step = acknowledged + proto::k_push_credit / proto::k_push_grants;
    const std::uint32_t request = session.submit(proto::Write{});
    codec::Codec codec;
    while (session.traffic().data_sent < step) {
        REQUIRE(session.push_credit() >= proto::k_data_payload_max);
        // The last ones are as short as can be: a frame's worth too few is a matter of its head.
        const std::size_t size = session.traffic().data_sent + 3'000 < step ? 1'000 : 1;
        REQUIRE(session.send_chunk(op, request, codec.seal(0, std::string(size, 'r'), {})));
    }
    CHECK(session.push_credit() < 2 * proto::k_data_payload_max);
}
