// The local transport: commands run as child processes of ours, as if this machine were the box. For `profile =
// "local"`, for tests of everything above, and for trying things out.
#pragma once

#include <string>

#include "io/transport/transport.hpp"

namespace drawhitch::transport {

class LocalTransport final : public Transport {
  public:
    // `login_shell` takes the command as sshd would give it: SHELL -c TEXT.
    explicit LocalTransport(std::string login_shell = "/bin/sh") : login_shell_(std::move(login_shell)) {}

    Result<std::unique_ptr<Process>> exec(const Op& op, const BoxCommand& command) override;
    [[nodiscard]] std::string describe() const override { return "local"; }

  private:
    std::string login_shell_{};
};

}  // namespace drawhitch::transport
