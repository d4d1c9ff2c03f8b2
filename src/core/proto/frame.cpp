#include "core/proto/frame.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cassert>
#include <utility>

#include "core/proto/limits.hpp"
#include "core/proto/wire.hpp"

namespace drawhitch::proto {

namespace {

std::uint64_t checksum(std::string_view bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint32_t header_check(std::string_view head) {
    return static_cast<std::uint32_t>(checksum(head));
}

constexpr std::size_t k_checked_head = k_header_size - 4;

constexpr std::string_view k_magic{
    "\x00\xF7"
    "dh\r\n\x1A\x00",
    8};

}  // namespace

std::size_t payload_limit(std::uint8_t type) {
    return type == static_cast<std::uint8_t>(MessageType::data) ? k_data_payload_max : k_control_payload_max;
}

void append_frame(std::string& out, MessageType type, std::uint32_t request, std::string_view payload) {
    assert(payload.size() <= payload_limit(static_cast<std::uint8_t>(type)));
    const std::size_t start = out.size();
    out.reserve(start + payload.size() + k_frame_overhead);
    Writer write(out);
    write(static_cast<std::uint32_t>(payload.size()));
    write(static_cast<std::uint8_t>(type));
    write(request);
    write(header_check(std::string_view(out).substr(start, k_checked_head)));
    out.append(payload);
    write(checksum(payload));
}

void FrameDecoder::feed(std::string_view bytes) {
    if (broken_) return;
    // Move what is left to the front only when it is small, so that a large frame is not moved with every piece of it.
    if (at_ > 0 && (at_ == buffer_.size() || at_ > (1U << 16U))) {
        buffer_.erase(0, at_);
        at_ = 0;
    }
    buffer_.append(bytes);
}

Result<std::optional<Frame>> FrameDecoder::next() {
    const auto broken = [this](const char* why) {
        broken_ = true;
        buffer_.clear();
        at_ = 0;
        return Error{Code::protocol, Retry::reconnect, why};
    };
    if (broken_) return broken("the stream of frames is broken");
    const std::string_view unread = std::string_view(buffer_).substr(at_);
    if (unread.size() < k_header_size) return std::optional<Frame>{};
    Reader read(unread);
    std::uint32_t length = 0;
    std::uint8_t type = 0;
    Frame frame;
    std::uint32_t check = 0;
    read(length), read(type), read(frame.request), read(check);
    if (check != header_check(unread.substr(0, k_checked_head))) return broken("a frame header fails its check");
    if (length > payload_limit(type)) return broken("a frame is longer than its limit");
    if (unread.size() < k_frame_overhead + length) return std::optional<Frame>{};
    const std::string_view payload = read.take(length);
    std::uint64_t sum = 0;
    read(sum);
    if (sum != checksum(payload)) return broken("a frame fails its check");
    frame.type = static_cast<MessageType>(type);
    frame.payload.assign(payload);
    at_ += k_frame_overhead + length;
    return std::optional<Frame>{std::move(frame)};
}

std::string preamble(std::string_view nonce) {
    return std::string(k_magic).append(nonce);
}

Result<bool> PreambleFinder::feed(std::string_view bytes) {
    // Only the last bytes of what was seen can begin a match that ends in the new ones.
    const std::size_t from = seen_.size() < wanted_.size() ? 0 : seen_.size() - wanted_.size() + 1;
    seen_.append(bytes);
    const std::size_t at = seen_.find(wanted_, from);
    if (at <= k_noise_max) {  // npos is far beyond
        rest_ = seen_.substr(at + wanted_.size());
        seen_.resize(at);
        return true;
    }
    if (seen_.size() >= k_noise_max + wanted_.size()) {
        seen_.resize(k_noise_max);
        return Error{Code::protocol, "the box answers, but not with our helper"};
    }
    return false;
}

}  // namespace drawhitch::proto
