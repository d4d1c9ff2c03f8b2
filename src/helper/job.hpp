// Job: a request that takes more than a moment, cut into steps so that pings are answered in between. A step does at
// most some megabytes of work, and sends its own frames.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/time.hpp"
#include "core/codec/codec.hpp"
#include "core/proto/messages_change.hpp"
#include "helper/channel.hpp"
#include "helper/digest_cache.hpp"
#include "helper/root.hpp"

namespace drawhitch::helper {

class Incoming;

// What handlers work on: the state of one connection.
struct Context {
    Channel& channel;
    Roots& roots;
    Clock& clock;
    codec::Codec& codec;
    DigestCache& cache;
    proto::CodecSet client_codecs{0};
    // Open write and write_bundle requests by number.
    std::map<std::uint32_t, std::unique_ptr<Incoming>> incoming{};

    // The last frame of a request. An answer past the frame limit becomes a refusal.
    template <class Message>
    void answer(std::uint32_t request, const Message& message) {
        answer_payload(Message::k_type, request, proto::encode(message));
    }
    void answer_payload(proto::MessageType type, std::uint32_t request, const std::string& payload);
    void refuse(std::uint32_t request, proto::Refusal refusal);
};

enum class Step {
    again,  // more to do
    wait,   // nothing to do before the client grants credit
    done    // answered
};

class Job {
  public:
    virtual ~Job() = default;
    virtual Step step(Context& context) = 0;
};

// Receives the data of one write or write_bundle request.
class Incoming {
  public:
    virtual ~Incoming() = default;
    // One data payload. A refusal ends the request.
    virtual Done data(Context& context, std::string_view payload) = 0;
    // The client's WriteEnd; answers.
    virtual Done end(Context& context, const proto::WriteEnd& message) = 0;
};

// Sends Progress about once a second.
class Pulse {
  public:
    Pulse(const Clock& clock, std::uint32_t request) : clock_(clock), request_(request), last_(clock.now()) {}
    void beat(Context& context, std::uint64_t done, std::uint64_t total);

  private:
    const Clock& clock_;
    std::uint32_t request_{0};
    Instant last_{};
};

}  // namespace drawhitch::helper
