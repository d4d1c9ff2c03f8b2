// The openssh transport: the user's own `ssh` program, for hosts that libssh2 cannot serve (jump hosts, security keys,
// certificates, one-time codes). Each process is one run of ssh, or one channel of a shared connection of ours. The
// user's configuration is read, never written, and what in it would weaken us is switched off (openssh_arguments).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/transport/endpoint.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::transport {

struct OpensshSetup {
    std::string program{"ssh"};
    std::string alias{};  // the Host of the user's configuration; then its user, port and keys hold, not the target's
    std::string config_file{};  // -F; empty for the user's own
    // Keys offered beside the program's own where the target names none: it looks for those in the home of the password
    // database, whatever HOME says.
    std::vector<std::string> usual_keys{};
    // A directory of ours, 0700, short enough for a socket's path (60 characters). Known hosts, logs and control
    // sockets.
    std::string runtime_dir{};
    std::string cure{};  // what to type when a refused host key turns out to be right: the error's `next`
    // One shared connection, kept ten minutes after its last use, so that a host that asks for a code asks once.
    bool shared{false};
    // The program may ask the user on the terminal (for the first, shared connection).
    bool may_ask{false};
    // A terminal session of the user's own: the program's streams are ours, and it may ask.
    bool attached{false};
};

class OpensshTransport final : public Transport {
  public:
    // Only `pins` are accepted as host keys; nothing is connected without any.
    OpensshTransport(SshTarget target, OpensshSetup setup, std::vector<model::HostKey> pins)
        : target_(std::move(target)), setup_(std::move(setup)), pins_(std::move(pins)) {}

    // Starts ssh; what happens to the connection shows in the process's steps, with the codes of Transport::exec.
    Result<std::unique_ptr<Process>> exec(const Op& op, const BoxCommand& command) override;
    [[nodiscard]] std::string describe() const override;
    // Whether a shared connection seems to be there already, so that nobody will be asked.
    [[nodiscard]] bool is_open() const;

  private:
    SshTarget target_{};
    OpensshSetup setup_{};
    std::vector<model::HostKey> pins_{};
};

// Asks a host for its key through the program's own ways (jump hosts and all), without logging in or sending anything.
Result<model::HostKey> learn_host_key(const Op& op, const SshTarget& target, const OpensshSetup& setup);

// Runs the program for the user: `remote` is a line for the login shell, or empty for a shell of the user's own. It has
// our terminal and streams; blocks until it ends. The exit is that of the box's side; where the program itself failed,
// it is an Error with the codes of Transport::exec.
Result<Exit> run_attached(const Op& op, const SshTarget& target, const OpensshSetup& setup,
                          const std::vector<model::HostKey>& pins, const std::string& remote);

// What `ssh -G` says of a host; for parse::ssh_config. Code::not_found without an ssh program.
Result<std::string> read_ssh_config(const Op& op, const OpensshSetup& setup, const std::string& host);

// The words of the command line, without the command. Code::usage when a host, user or alias could be taken for an
// option or be expanded by the program.
struct OpensshFiles {
    std::string known_hosts{};
    std::string log{};
    std::string control{};  // empty: no shared connection
};
Result<std::vector<std::string>> openssh_arguments(const SshTarget& target, const OpensshSetup& setup,
                                                   const OpensshFiles& files);

}  // namespace drawhitch::transport
