// SshProcess: one program on one channel of an SshLink.
#pragma once

#include <libssh2.h>

#include <memory>
#include <string>

#include "io/transport/ssh_link.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::transport {

class SshProcess final : public Process {
  public:
    // Owns the channel, which was opened last on the link.
    SshProcess(std::shared_ptr<SshLink> link, LIBSSH2_CHANNEL* channel);
    ~SshProcess() override;
    SshProcess(const SshProcess&) = delete;
    SshProcess& operator=(const SshProcess&) = delete;

    Result<Step> step(const Op& op, std::string_view outgoing, bool end_of_input) override;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> path_round_trip() const override;

  private:
    Result<std::size_t> send(std::string_view outgoing);
    Result<bool> send_pending();
    Status send_end();
    Result<bool> receive(int stream_id, Step& step);
    Result<bool> finished(Step& step);

    std::shared_ptr<SshLink> link_{};
    LIBSSH2_CHANNEL* channel_{nullptr};
    std::uint32_t number_{0};
    std::string pending_{};  // taken from the caller, and being offered to libssh2 unchanged until it takes it
    std::string buffer_{};
    bool end_sent_{false};
    bool ended_{false};
    bool err_first_{false};
};

}  // namespace drawhitch::transport
