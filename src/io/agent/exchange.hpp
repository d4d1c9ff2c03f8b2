// What Agent's calls share: send one request, take its answers in order. Private to this room.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// Queues a request that fits its frame; one that does not is the caller's to split, and an Error rather than a crash.
template <class Request>
Result<std::uint32_t> submit(Session& session, const Request& request) {
    const std::string payload = proto::encode(request);
    if (payload.size() > proto::k_control_payload_max) {
        return Error{Code::internal, "a request is longer than a frame; send it in parts"};
    }
    return session.submit_payload(Request::k_type, payload);
}

// How many elements of a list, from `at`, go into one request: `size` tells the bytes of one.
inline constexpr std::size_t k_list_bytes = 256U << 10U;
inline constexpr std::size_t k_list_count = 2000;
template <class T, class Size>
std::size_t part_of_list(const std::vector<T>& list, std::size_t at, Size size) {
    std::size_t bytes = 0;
    std::size_t end = at;
    while (end < list.size() && end - at < k_list_count && (end == at || bytes + size(list[end]) <= k_list_bytes))
        bytes += size(list[end++]);
    return end - at;
}

template <class Answer, class Request>
Result<Answer> call(const Op& op, Session& session, const Request& request, std::string_view doing,
                    const std::function<void(std::uint64_t, std::uint64_t)>& progress = {}) {
    TRY_ASSIGN(const std::uint32_t number, submit(session, request));
    return finish<Answer>(op, session, number, doing, progress);
}

}  // namespace drawhitch::agent
