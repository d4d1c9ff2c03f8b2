// What Agent's calls share: send one request, take its answers in order. Private to this room.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/proto/limits.hpp"
#include "core/proto/messages_connection.hpp"
#include "core/proto/refusal.hpp"
#include "io/agent/session.hpp"

namespace drawhitch::agent {

// The next frame of `request`. A refusal becomes its Error ("cannot DOING: …"); progress goes to `progress` and is
// skipped. Frames of requests that were given up earlier (after a sink's Error) are dropped.
Result<Incoming> next_frame(const Op& op, Session& session, std::uint32_t request, std::string_view doing,
                            const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

// Code::protocol: an answer of the wrong type.
Error unexpected(const Incoming& frame, std::string_view doing);

// The rest of a call with one answer of type Answer.
template <class Answer>
Result<Answer> finish(const Op& op, Session& session, std::uint32_t request, std::string_view doing,
                      const std::function<void(std::uint64_t, std::uint64_t)>& progress = {}) {
    TRY_ASSIGN(const Incoming frame, next_frame(op, session, request, doing, progress));
    if (frame.type != Answer::k_type) return unexpected(frame, doing);
    return proto::decode<Answer>(frame.payload);
}

template <class Answer, class Request>
Result<Answer> call(const Op& op, Session& session, const Request& request, std::string_view doing,
                    const std::function<void(std::uint64_t, std::uint64_t)>& progress = {}) {
    std::string payload = proto::encode(request);
    if (payload.size() > proto::k_control_payload_max) {
        return Error{Code::internal, "a request is longer than a frame; send it in parts"};
    }
    return finish<Answer>(op, session, session.submit_payload(Request::k_type, std::move(payload)), doing, progress);
}

}  // namespace drawhitch::agent
