// Channel: frames over the helper's two descriptors, with the credit of both directions. Never blocks; knows no
// requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/proto/frame.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/messages_connection.hpp"
#include "core/proto/wire.hpp"
#include "helper/outcome.hpp"

namespace drawhitch::helper {

class Channel {
  public:
    // Borrows the descriptors, which must be non-blocking.
    Channel(int in, int out) : in_(in), out_(out) {}

    enum class Input { bytes, nothing, end };
    // Reads once. An error of the descriptor counts as its end: the client is gone.
    Input fill();
    Result<std::optional<proto::Frame>> next() { return decoder_.next(); }

    void send_raw(std::string_view bytes) { out_buffer_.append(bytes); }
    void send_payload(proto::MessageType type, std::uint32_t request, std::string_view payload);
    template <class Message>
    void send(std::uint32_t request, const Message& message) {
        send_payload(Message::k_type, request, proto::encode(message));
    }
    // Writes what the descriptor takes; false when it is broken.
    bool flush();
    [[nodiscard]] std::size_t pending() const { return out_buffer_.size() - out_at_; }
    // Bytes that lie in memory for the client, with those it has had already: never much more than what is pending.
    [[nodiscard]] std::size_t held() const { return out_buffer_.size(); }

    // Towards the client: how many bytes of data payload may be sent now.
    [[nodiscard]] std::uint64_t credit_left() const { return send_limit_ - data_sent_; }
    void raise_send_limit(std::uint64_t limit);

    // From the client: false when this much data breaks the grant.
    bool take_credit(std::size_t payload);
    // Data that is done with; grants more once a quarter of the window is free.
    void give_back_credit(std::size_t payload);
    void set_window(std::uint64_t bytes);

  private:
    void drop_sent();

    int in_{-1};
    int out_{-1};
    proto::FrameDecoder decoder_{};
    std::string in_buffer_{};
    std::string out_buffer_{};
    std::size_t out_at_{0};
    std::uint64_t send_limit_{0};
    std::uint64_t data_sent_{0};
    std::uint64_t window_{proto::k_push_credit};
    std::uint64_t granted_{proto::k_push_credit};
    std::uint64_t data_received_{0};
    std::uint64_t data_done_{0};
};

}  // namespace drawhitch::helper
