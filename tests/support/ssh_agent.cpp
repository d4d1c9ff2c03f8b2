#include "support/ssh_agent.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>

#include "support/private_sshd.hpp"

namespace drawhitch::support {

SshAgent::SshAgent() {
    pid_ = start_tool({"ssh-agent", "-D", "-a", socket()}, dir_ / "log");
    // The agent is there when its socket is.
    run_tool({"/bin/sh", "-c",
              "for i in 1 2 3 4 5 6 7 8 9 10; do [ -S " + socket() + " ] && exit; sleep 0.05; done; exit 1"});
}

SshAgent::~SshAgent() {
    ::kill(pid_, SIGTERM);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
}

void SshAgent::add(const std::string& key) const {
    run_tool({"env", "SSH_AUTH_SOCK=" + socket(), "ssh-add", "-q", key});
}

}  // namespace drawhitch::support
