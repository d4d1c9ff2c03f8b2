#include "helper/channel.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace drawhitch::helper {

namespace {

constexpr std::size_t k_read_size = 256U << 10U;
constexpr std::size_t k_drop_at = 512U << 10U;

}  // namespace

Channel::Input Channel::fill() {
    in_buffer_.resize(k_read_size);
    for (;;) {
        const ssize_t count = ::read(in_, in_buffer_.data(), in_buffer_.size());
        if (count > 0) {
            decoder_.feed(std::string_view(in_buffer_).substr(0, static_cast<std::size_t>(count)));
            return Input::bytes;
        }
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return Input::nothing;
        return Input::end;
    }
}

void Channel::send_payload(proto::MessageType type, std::uint32_t request, std::string_view payload) {
    if (type == proto::MessageType::data) data_sent_ += payload.size();
    proto::append_frame(out_buffer_, type, request, payload);
}

bool Channel::flush() {
    while (pending() > 0) {
        const ssize_t count = ::write(out_, out_buffer_.data() + out_at_, pending());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno != EAGAIN) return false;
        if (count < 0) {
            drop_sent();
            return true;
        }
        out_at_ += static_cast<std::size_t>(count);
    }
    out_buffer_.clear();
    out_at_ = 0;
    return true;
}

// A client that reads all the time leaves no moment at which the buffer is empty: without this it would grow to the
// size of all that was ever sent. Moving no more bytes than were dropped keeps the cost below that of sending them.
void Channel::drop_sent() {
    if (out_at_ < k_drop_at || out_at_ < pending()) return;
    out_buffer_.erase(0, out_at_);
    out_at_ = 0;
}

void Channel::raise_send_limit(std::uint64_t limit) {
    send_limit_ = std::max(send_limit_, limit);
}

bool Channel::take_credit(std::size_t payload) {
    data_received_ += payload;
    return data_received_ <= granted_;
}

void Channel::give_back_credit(std::size_t payload) {
    data_done_ += payload;
    if (data_done_ + window_ < granted_ + window_ / proto::k_push_grants) return;
    granted_ = data_done_ + window_;
    send(0, proto::Credit{granted_});
}

void Channel::set_window(std::uint64_t bytes) {
    // Less than two full frames could stall a sender between grants.
    window_ = std::clamp<std::uint64_t>(bytes, 2 * proto::k_data_payload_max, proto::k_push_credit_max);
    give_back_credit(0);
}

}  // namespace drawhitch::helper
