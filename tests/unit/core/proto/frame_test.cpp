#include "core/proto/frame.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <vector>

#include "core/proto/limits.hpp"
#include "core/proto/messages_connection.hpp"
#include "core/proto/messages_tree.hpp"
#include "core/proto/wire.hpp"

using namespace drawhitch;
using namespace drawhitch::proto;

namespace {

// A short conversation with all kinds of frames: empty, small, data.
std::string conversation() {
    std::string stream;
    append_frame(stream, MessageType::client_hello, 0, encode(ClientHello{}));
    append_frame(stream, MessageType::open_root, 1, encode(OpenRoot{1, "/data", true}));
    append_frame(stream, MessageType::bye, 0, {});
    append_frame(stream, MessageType::data, 7, std::string(300, 'd'));
    append_frame(stream, MessageType::scan, 8, encode(Scan{}));
    return stream;
}

// What a decoder delivers before it ends or fails.
struct Decoded {
    std::vector<Frame> frames{};
    bool failed{false};
};

Decoded decode_all(std::string_view stream, std::size_t piece = SIZE_MAX) {
    FrameDecoder decoder;
    Decoded decoded;
    for (std::size_t at = 0; at < stream.size() && !decoded.failed; at += std::min(piece, stream.size() - at)) {
        decoder.feed(stream.substr(at, piece));
        for (;;) {
            auto frame = decoder.next();
            decoded.failed = !frame;
            if (!frame || !*frame) break;
            decoded.frames.push_back(std::move(**frame));
        }
    }
    return decoded;
}

bool same(const Frame& a, const Frame& b) {
    return a.type == b.type && a.request == b.request && a.payload == b.payload;
}

bool is_prefix_of(const std::vector<Frame>& part, const std::vector<Frame>& whole) {
    if (part.size() > whole.size()) return false;
    for (std::size_t i = 0; i < part.size(); ++i)
        if (!same(part[i], whole[i])) return false;
    return true;
}

}  // namespace

TEST_CASE("a stream cut into pieces of any size yields the same frames") {
    const std::string stream = conversation();
    const Decoded whole = decode_all(stream);
    REQUIRE(whole.frames.size() == 5);
    for (std::size_t piece = 1; piece < 60; ++piece) {
        const Decoded pieces = decode_all(stream, piece);
        CHECK(pieces.frames.size() == 5);
        CHECK(is_prefix_of(pieces.frames, whole.frames));
    }
}

TEST_CASE("every prefix of a conversation yields whole frames only and no error") {
    const std::string stream = conversation();
    const Decoded whole = decode_all(stream);
    for (std::size_t size = 0; size < stream.size(); ++size) {
        const Decoded part = decode_all(std::string_view(stream).substr(0, size));
        REQUIRE_FALSE(part.failed);
        REQUIRE(part.frames.size() < whole.frames.size());
        REQUIRE(is_prefix_of(part.frames, whole.frames));
    }
}

TEST_CASE("every flipped bit of a conversation is noticed in its frame") {
    const std::string stream = conversation();
    const Decoded whole = decode_all(stream);
    for (std::size_t bit = 0; bit < stream.size() * 8; ++bit) {
        std::string damaged = stream;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        const Decoded got = decode_all(damaged);
        REQUIRE(got.failed);
        REQUIRE(got.frames.size() < whole.frames.size());
        REQUIRE(is_prefix_of(got.frames, whole.frames));
    }
}

TEST_CASE("a decoder that failed once fails for ever") {
    std::string stream = conversation();
    stream[3] = static_cast<char>(stream[3] ^ 1);
    FrameDecoder decoder;
    decoder.feed(stream);
    CHECK_FALSE(decoder.next());
    decoder.feed(conversation());
    const auto again = decoder.next();
    REQUIRE_FALSE(again);
    CHECK(again.error().code == Code::protocol);
    CHECK(decoder.buffered() == 0);
}

TEST_CASE("a frame as long as its type allows is accepted") {
    std::string longest;
    append_frame(longest, MessageType::data, 1, std::string(k_data_payload_max, 'x'));
    CHECK(decode_all(longest).frames.size() == 1);
    std::string control;
    append_frame(control, MessageType::stat, 1, std::string(k_control_payload_max, 'x'));
    CHECK(decode_all(control).frames.size() == 1);
}

TEST_CASE("a frame that announces more than its type allows is refused before its payload comes") {
    // Heads with a right check, made by another implementation of XXH3.
    const std::string long_data("\x41\x00\x02\x00\x10\x01\x00\x00\x00\xB1\x86\x67\xC8", 13);
    const std::string long_control("\x01\x00\x10\x00\x24\x01\x00\x00\x00\x90\xC2\x18\xE9", 13);
    const std::string longest("\xFF\xFF\xFF\xFF\x24\x01\x00\x00\x00\xE3\x9B\x79\x0F", 13);
    for (const std::string& head : {long_data, long_control, longest}) {
        FrameDecoder decoder;
        decoder.feed(head);
        const auto frame = decoder.next();
        REQUIRE_FALSE(frame);
        CHECK(frame.error().message == "a frame is longer than its limit");
    }
}

TEST_CASE("unknown type bytes are delivered, for the receiver to refuse") {
    std::string stream;
    append_frame(stream, static_cast<MessageType>(0xEE), 3, "?");
    const Decoded got = decode_all(stream);
    REQUIRE(got.frames.size() == 1);
    CHECK(name(got.frames[0].type) == "unknown");
}

TEST_CASE("the preamble is found behind noise, however it is cut") {
    const std::string nonce = "0123456789abcdef";
    const std::string noise = std::string("Welcome!\nmotd \0", 15) + "\xF7 dh 0123456789abcdef\n";
    const std::string stream = noise + preamble(nonce) + "rest";
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
        PreambleFinder finder(nonce);
        bool found = false;
        std::string rest;
        for (std::size_t at = 0; at < stream.size(); at += piece) {
            const std::string_view bytes = std::string_view(stream).substr(at, piece);
            if (found) {
                rest += bytes;
                continue;
            }
            found = *finder.feed(bytes);
            if (found) rest = finder.take_rest();
        }
        REQUIRE(found);
        CHECK(rest == "rest");
        CHECK(finder.noise() == noise);
    }
}

TEST_CASE("another nonce is no preamble, and noise has a limit") {
    PreambleFinder finder("0123456789abcdef");
    CHECK_FALSE(*finder.feed(preamble("0123456789abcdeF")));
    Result<bool> fed = false;
    std::size_t noise = 0;
    while (fed && !*fed) {
        fed = finder.feed(std::string(1000, 'n'));
        noise += 1000;
        REQUIRE(noise < 2 * k_noise_max);
    }
    CHECK(fed.error().code == Code::protocol);

    PreambleFinder last("0123456789abcdef");
    CHECK_FALSE(*last.feed(std::string(k_noise_max, 'n')));
    CHECK(*last.feed(preamble("0123456789abcdef")));
}
