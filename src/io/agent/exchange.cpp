#include "io/agent/exchange.hpp"

namespace drawhitch::agent {

Result<Incoming> next_frame(const Op& op, Session& session, std::uint32_t request, std::string_view doing,
                            const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    for (;;) {
        TRY_ASSIGN(Incoming frame, session.receive(op));
        if (frame.request != request) continue;
        if (frame.type == proto::MessageType::progress) {
            TRY_ASSIGN(const proto::Progress at, proto::decode<proto::Progress>(frame.payload));
            if (progress) progress(at.done, at.total);
            continue;
        }
        if (frame.type != proto::MessageType::refused) return frame;
        TRY_ASSIGN(const proto::Refusal refusal, proto::decode<proto::Refusal>(frame.payload));
        return proto::to_error(refusal, doing);
    }
}

Error unexpected(const Incoming& frame, std::string_view doing) {
    return Error{Code::protocol, Retry::reconnect,
                 "cannot " + std::string(doing) + ": the helper answers with " + std::string(proto::name(frame.type))};
}

}  // namespace drawhitch::agent
