#include "helper/channel.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "base/fd.hpp"

using namespace drawhitch;

TEST_CASE("a client that never catches up costs no more memory than what it has still to read") {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
    const UniqueFd reading{ends[0]};
    const UniqueFd writing{ends[1]};
    helper::Channel channel{reading.get(), writing.get()};
    const std::string payload(64U << 10U, 'x');
    constexpr std::uint64_t k_total = 64U << 20U;
    constexpr std::size_t k_behind = 1U << 20U;
    std::string got(256U << 10U, '\0');
    proto::FrameDecoder decoder;
    std::uint64_t arrived = 0;
    const auto take = [&] {
        const ssize_t count = ::read(reading.get(), got.data(), got.size());
        REQUIRE(count > 0);
        decoder.feed(std::string_view{got}.substr(0, static_cast<std::size_t>(count)));
        for (;;) {
            const auto frame = decoder.next();
            REQUIRE(frame);
            if (!*frame) return;
            ++arrived;
            if ((*frame)->request != arrived || (*frame)->payload != payload)
                FAIL("frame " << arrived << " is another");
        }
    };
    std::uint32_t sent = 0;
    std::size_t most_held = 0;
    while (sent * payload.size() < k_total) {
        while (channel.pending() < k_behind) {
            channel.send_payload(proto::MessageType::data, ++sent, payload);
        }
        REQUIRE(channel.flush());
        CHECK(channel.pending() > 0);
        take();
        most_held = std::max(most_held, channel.held());
    }
    CHECK(most_held < 4 * k_behind);
    // And nothing was lost or sent twice on the way.
    while (arrived < sent) {
        REQUIRE(channel.flush());
        take();
    }
    CHECK(channel.pending() == 0);
}
