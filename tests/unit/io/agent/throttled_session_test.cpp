// Sessions under a limit, on a clock of the test: what moves, and that a connection held back stays alive.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <deque>
#include <vector>

#include "core/codec/codec.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/messages_change.hpp"
#include "core/proto/messages_data.hpp"
#include "io/agent/session.hpp"
#include "support/fake_clock.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using proto::MessageType;

namespace {

const std::string k_nonce = "0123456789abcdef";
constexpr milliseconds k_idle{10};

// A helper that sends all it is granted as soon as it is, and takes all it is sent. A step with nothing to do takes ten
// milliseconds of the clock.
class GreedyHelper final : public transport::Process {
  public:
    explicit GreedyHelper(support::FakeClock& clock) : clock_(clock) {
        proto::Hello hello{};
        hello.push_credit = 1U << 30U;
        said_ = proto::preamble(k_nonce);
        say(MessageType::hello, 0, proto::encode(hello));
    }

    bool reads{false};
    std::size_t pings{0};
    std::uint64_t taken{0};
    std::uint64_t granted{0};
    std::uint64_t sent{0};

    Result<transport::Step> step(const Op& op, std::string_view outgoing, bool) override {
        TRY(op.check());
        transport::Step step;
        step.sent = outgoing.size();
        listen(outgoing);
        while (reads && granted - sent >= proto::k_data_payload_max) {
            sent += proto::k_data_payload_max;
            say(MessageType::data, 1, std::string(proto::k_data_payload_max, 'x'));
        }
        current_ = std::exchange(said_, {});
        step.received = current_;
        if (step.sent == 0 && current_.empty()) {
            clock_.advance(k_idle);
            TRY(op.check());
        }
        return step;
    }

  private:
    void say(MessageType type, std::uint32_t request, std::string_view payload) {
        proto::append_frame(said_, type, request, payload);
    }
    void listen(std::string_view bytes) {
        decoder_.feed(bytes);
        for (auto frame = decoder_.next(); frame && *frame; frame = decoder_.next()) {
            const proto::Frame& heard = **frame;
            if (heard.type == MessageType::data) taken += heard.payload.size();
            if (heard.type == MessageType::ping) ++pings;
            if (heard.type == MessageType::client_hello)
                granted = proto::decode<proto::ClientHello>(heard.payload)->pull_credit;
            if (heard.type == MessageType::credit) granted = proto::decode<proto::Credit>(heard.payload)->limit;
        }
    }

    support::FakeClock& clock_;
    proto::FrameDecoder decoder_{};
    std::string said_{};
    std::string current_{};
};

struct Limited {
    GreedyHelper* helper{nullptr};
    std::unique_ptr<agent::Session> session{};

    Limited(const Op& op, support::FakeClock& clock, const std::shared_ptr<agent::Throttle>& throttle) {
        auto made = std::make_unique<GreedyHelper>(clock);
        helper = made.get();
        agent::SessionOptions options{};
        options.throttle = throttle;
        auto begun = agent::Session::start(op, std::move(made), k_nonce, options);
        REQUIRE(begun);
        session = std::move(*begun);
    }
};

double seconds_since(const support::FakeClock& clock, Instant began) {
    return std::chrono::duration<double>(clock.now() - began).count();
}

}  // namespace

TEST_CASE("two connections that receive keep to one limit together, and use all of it") {
    const std::uint64_t rate = GENERATE(100'000U, 2'000'000U);
    support::FakeClock clock;
    const support::TestOp op(clock, milliseconds{1'000'000});
    const auto throttle = std::make_shared<agent::Throttle>(rate);
    const double burst = static_cast<double>(proto::RateBucket{rate}.burst());
    const Instant began = clock.now();
    std::vector<Limited> both;
    both.emplace_back(op, clock, throttle);
    both.emplace_back(op, clock, throttle);
    for (Limited& one : both) {
        one.session->submit(proto::Read{});
        one.helper->reads = true;
    }
    std::uint64_t received = 0;
    bool kept = true;
    while (kept && seconds_since(clock, began) < 60) {
        for (Limited& one : both) {
            REQUIRE(one.session->keep_alive(op));
            while (const auto frame = one.session->poll())
                received += frame->payload.size();
        }
        const double allowed = burst + seconds_since(clock, began) * static_cast<double>(rate) + 1;
        kept = kept && static_cast<double>(received) <= allowed;
    }
    CHECK(kept);
    // What is granted and not used yet is less than a frame and a window for each.
    CHECK(static_cast<double>(received) >= 0.9 * 60 * static_cast<double>(rate) - 4 * 131'072.0);
}

TEST_CASE("what is sent keeps to the limit, and a connection that waits for long pings its helper and is not silent") {
    constexpr std::uint64_t k_rate = 20'000;
    support::FakeClock clock;
    const support::TestOp op(clock, milliseconds{1'000'000});
    const auto throttle = std::make_shared<agent::Throttle>(k_rate);
    Limited one(op, clock, throttle);
    Instant held = clock.now();
    double longest = 0;
    one.session->on_held([&](Instant at) {
        longest = std::max(longest, std::chrono::duration<double>(at - held).count());
        held = at;
    });
    const std::uint32_t request = one.session->submit(proto::Write{});
    codec::Codec codec;
    const Instant began = clock.now();
    REQUIRE(one.session->send_chunk(op, request, codec.seal(0, std::string(1'000'000, 'r'), {})));
    longest = std::max(longest, seconds_since(clock, held));
    while (one.helper->taken < one.session->traffic().data_sent)
        REQUIRE(one.session->keep_alive(op));
    const double took = seconds_since(clock, began);
    const double sent = static_cast<double>(one.helper->taken);
    CHECK(sent <= static_cast<double>(proto::RateBucket{k_rate}.burst()) + took * static_cast<double>(k_rate) + 1);
    CHECK(sent >= 0.9 * took * static_cast<double>(k_rate));
    CHECK(static_cast<double>(one.helper->pings) >= took / proto::k_ping_seconds - 2);
    CHECK(longest <= proto::k_ping_seconds);
}

TEST_CASE("credit that nobody asked data for is not taken from the limit") {
    support::FakeClock clock;
    const support::TestOp op(clock, milliseconds{1'000'000});
    const auto throttle = std::make_shared<agent::Throttle>(50'000);
    Limited idle(op, clock, throttle);
    idle.session->submit(proto::Sync{});
    for (int i = 0; i < 20; ++i)
        REQUIRE(idle.session->keep_alive(op));
    CHECK(idle.helper->granted == 0);
    CHECK(throttle->take(clock.now(), 1, 1U << 30U) == proto::RateBucket{50'000}.burst());
}

TEST_CASE("a deadline ends a connection that the limit holds back at once") {
    support::FakeClock clock;
    const support::TestOp op(clock, milliseconds{3'000});
    const auto throttle = std::make_shared<agent::Throttle>(10'240);
    Limited one(op, clock, throttle);
    const std::uint32_t request = one.session->submit(proto::Write{});
    codec::Codec codec;
    const Instant began = clock.now();
    const auto sent = one.session->send_chunk(op, request, codec.seal(0, std::string(1'000'000, 'r'), {}));
    REQUIRE_FALSE(sent);
    CHECK(sent.error().code == Code::deadline);
    CHECK(seconds_since(clock, began) <= 3.1);
}
