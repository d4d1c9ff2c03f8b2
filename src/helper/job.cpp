#include "helper/job.hpp"

#include <algorithm>

#include "core/proto/limits.hpp"

namespace drawhitch::helper {

void Context::answer_payload(proto::MessageType type, std::uint32_t request, const std::string& payload) {
    if (payload.size() > proto::k_control_payload_max) {
        proto::Refusal refusal = helper::refuse(proto::Reason::too_large, {}, "the answer is longer than a frame");
        refusal.value = proto::k_control_payload_max;
        return refuse(request, std::move(refusal));
    }
    channel.send_payload(type, request, payload);
}

void Context::refuse(std::uint32_t request, proto::Refusal refusal) {
    refusal.path.resize(std::min(refusal.path.size(), proto::k_path_max));
    refusal.text.resize(std::min(refusal.text.size(), proto::k_text_max));
    channel.send(request, refusal);
}

void Pulse::beat(Context& context, std::uint64_t done, std::uint64_t total) {
    const Instant now = clock_.now();
    if (now - last_ < std::chrono::seconds(1)) return;
    last_ = now;
    context.channel.send(request_, proto::Progress{done, total});
}

}  // namespace drawhitch::helper
