// The ssh transport: libssh2 over a TCP connection of our own. It connects at the first exec, and anew when the
// connection has ended. Several processes may live on it at once; each one's step also moves the others' bytes along.
#pragma once

#include <memory>
#include <string>

#include "io/transport/endpoint.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::transport {

class SshLink;

class SshTransport final : public Transport {
  public:
    // What `trust` refers to must outlive the transport.
    SshTransport(SshTarget target, SshTrust trust) : target_(std::move(target)), trust_(trust) {}

    Result<std::unique_ptr<Process>> exec(const Op& op, const BoxCommand& command) override;
    [[nodiscard]] std::string describe() const override { return target_.shown() + " (ssh)"; }
    void tell(Milestones milestones) override { milestones_ = std::move(milestones); }

    // Connects and logs in without starting anything; nothing is done on a live connection.
    Status connect(const Op& op);
    // After a connect that failed with Code::auth.
    [[nodiscard]] Beyond beyond() const { return beyond_; }

  private:
    Status greet(const Op& op, SshLink& link);

    SshTarget target_{};
    SshTrust trust_;
    Milestones milestones_{};
    std::shared_ptr<SshLink> link_{};
    Beyond beyond_{Beyond::nothing};
};

}  // namespace drawhitch::transport
