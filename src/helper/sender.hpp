// ChunkSender: sends sealed chunks as far as credit reaches; what is left waits for the next step.
#pragma once

#include <cstdint>
#include <optional>

#include "core/proto/chunk.hpp"
#include "helper/job.hpp"

namespace drawhitch::helper {

class ChunkSender {
  public:
    explicit ChunkSender(std::uint32_t request) : request_(request) {}
    void start(proto::EncodedChunk chunk) { rest_.emplace(std::move(chunk)); }
    // True when nothing is left; false when more credit is needed.
    bool send(Context& context) {
        while (rest_ && !rest_->done()) {
            if (rest_->next_size() > context.channel.credit_left()) return false;
            context.channel.send_payload(proto::MessageType::data, request_, rest_->next());
        }
        rest_.reset();
        return true;
    }

  private:
    std::uint32_t request_{0};
    std::optional<proto::Fragmenter> rest_{};
};

}  // namespace drawhitch::helper
