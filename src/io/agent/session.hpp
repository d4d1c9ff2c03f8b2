// Session: frames over a running helper. Knows requests, credit and keepalive, but no meaning of any message; Agent's
// calls and the transfer engine are built on it. Owns its Process. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/proto/chunk.hpp"
#include "core/proto/flow_window.hpp"
#include "core/proto/frame.hpp"
#include "core/proto/messages_connection.hpp"
#include "core/proto/wire.hpp"
#include "io/agent/throttle.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::agent {

struct SessionOptions {
    // Data payload bytes the helper may have in flight towards us: little, until somebody learned what the path holds.
    std::uint64_t pull_window{512U << 10U};
    std::uint64_t push_window{0};          // wish for what it lets us have in flight; 0 = its own choice
    milliseconds hello_timeout{20'000};    // from start to the helper's hello
    std::string build_id{};                // ours, told to the helper
    std::shared_ptr<Throttle> throttle{};  // of all connections of a command; null: no limit
};

// One frame of the helper that belongs to a request.
struct Incoming {
    std::uint32_t request{0};
    proto::MessageType type{proto::MessageType::refused};
    std::string payload{};
};

struct Traffic {
    std::uint64_t sent{0};           // bytes into the channel, frames and all
    std::uint64_t received{0};       // bytes out of it, noise and all
    std::uint64_t data_sent{0};      // data payload
    std::uint64_t data_received{0};  // data payload
};

// Rules that hold for every method that takes an Op: it may block until the deadline or cancel; while it blocks it
// answers for the connection (pings every k_ping_seconds, grants credit). A caller that stays away for more than
// k_silence_seconds loses the helper: call `keep_alive` in between.
// Codes of all of them: cancelled, deadline, link_lost, stalled (from the transport), protocol (the helper broke the
// rules; the session is dead then), and for a Fatal frame the Code its reason maps to.
class Session {
  public:
    // Finds the preamble, exchanges hellos. Code::shell_missing when something else answers (its words in `why`),
    // Code::noexec when the shell says the file cannot be executed, Code::not_found when it is not there,
    // Code::protocol when no common version exists.
    static Result<std::unique_ptr<Session>> start(const Op& op, std::unique_ptr<transport::Process> process,
                                                  std::string_view nonce, const SessionOptions& options);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    // Closes the channel; the helper exits on end of input.
    ~Session();

    [[nodiscard]] const proto::Hello& hello() const;
    [[nodiscard]] const Traffic& traffic() const;

    // Queues a request and returns its number; nothing blocks. Several may be unanswered (hello().requests_max at most:
    // the caller counts). The helper serves requests strictly in the order they were submitted.
    template <class Message>
    std::uint32_t submit(const Message& message) {
        return submit_payload(Message::k_type, proto::encode(message));
    }
    std::uint32_t submit_payload(proto::MessageType type, std::string_view payload);
    // Queues a further frame under an existing request (WriteEnd).
    template <class Message>
    void follow_up(std::uint32_t request, const Message& message) {
        queue_frame(Message::k_type, request, proto::encode(message));
    }
    // Told whenever anything arrives, also while this waits for something else. `heard` outlives the session or the
    // next call of this.
    void on_heard(std::function<void(Instant)> heard);
    // Told while nothing moves because the throttle lets nothing through: such silence is ours. As for `on_heard`.
    void on_held(std::function<void(Instant)> held);
    // Whatever still comes under a request is dropped here: nobody waits for it any more.
    void forget(std::uint32_t request);
    // Asks the helper to drop a request. It still gets exactly one last answer (its own, or a refusal `cancelled`).
    void cancel(std::uint32_t request);

    // Sends a chunk under a write or write_bundle request: blocks until its last fragment was covered by credit and
    // handed to the transport's queue. Frames that arrive meanwhile wait for `receive`.
    Status send_chunk(const Op& op, std::uint32_t request, proto::EncodedChunk chunk);
    // Bytes of data payload that may be sent now without waiting: what the helper granted, of it no more than the path
    // is known to hold.
    [[nodiscard]] std::uint64_t push_credit() const;
    // FlowWindow::held_back of what is sent.
    [[nodiscard]] bool push_held_back() const;

    // The next frame of any request, in order of arrival. Data is counted against credit here, and new credit is
    // granted to keep the window full; so a caller that stops receiving stops the helper.
    Result<Incoming> receive(const Op& op);
    // The same of what has arrived already; touches no stream.
    std::optional<Incoming> poll();
    // Pings, sends and collects for a millisecond at most; for callers with other work.
    Status keep_alive(const Op& op);
    // Changes the pull window; a smaller one takes effect as what was granted is used up.
    void set_pull_window(std::uint64_t bytes);

    // The shortest one seen so far, of any ping of this session, the first of which is sent with the client's hello.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> round_trip() const;
    // Process::path_round_trip.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> path_round_trip() const;
    // Round trip of a ping, measured on the Op's clock.
    Result<milliseconds> ping(const Op& op);
    // Sends bye and waits for the helper's exit; the session is unusable then.
    Result<transport::Exit> close(const Op& op);

  private:
    struct State;
    Session();
    void queue_frame(proto::MessageType type, std::uint32_t request, std::string_view payload);
    std::unique_ptr<State> state_;
};

}  // namespace drawhitch::agent
