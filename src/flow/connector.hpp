// LeaseConnector: the production Connector. It picks the transport a lease's endpoint needs, gives it the lease's
// pinned host keys, and asks for a passphrase at most once per process.
#pragma once

#include <memory>
#include <string>

#include "flow/deps.hpp"
#include "io/transport/endpoint.hpp"
#include "io/transport/openssh.hpp"

namespace drawhitch::flow {

// The ledger's note of a lease of which adopt found that each login asks a person; its value is "yes" then.
inline constexpr std::string_view k_asks_note = "ssh.asks";

class LeaseConnector final : public Connector {
  public:
    // All references outlive the connector.
    LeaseConnector(const ledger::Ledger& ledger, const Laptop& laptop, const model::Connection& connection,
                   transport::SecretPrompt& prompt)
        : ledger_(ledger), laptop_(laptop), connection_(connection), prompt_(prompt) {}

    Result<std::unique_ptr<transport::Transport>> to(const Op& op, const model::Lease& lease) override;
    // What the settings say, else the profile. One where each login asks a person, and on this machine itself.
    [[nodiscard]] int most_at_once(const model::Lease& lease) const override;

    // Whether each login of the lease asks a person: its profile says so, or adopt found it out.
    [[nodiscard]] bool asks(const model::Lease& lease) const;
    // Whether the ssh program may ask: there is a terminal, or a program of the user's that asks (SSH_ASKPASS).
    [[nodiscard]] bool may_ask() const;
    // Logs in through the program where that may ask somebody, before anything else is on the screen; nothing to do
    // while a shared connection is there.
    Status log_in(const Op& op, transport::OpensshTransport& box);

    // What the transports need for an endpoint; also used by adopt, before a lease exists. `shared`: one connection for
    // all, because the host asks for a code at each login.
    [[nodiscard]] transport::SshTarget target(const model::Endpoint& endpoint) const;
    [[nodiscard]] transport::OpensshSetup openssh(const model::Endpoint& endpoint, bool shared) const;
    [[nodiscard]] transport::SecretPrompt& secrets() { return prompt_; }
    [[nodiscard]] const Laptop& laptop() const { return laptop_; }

  private:
    const ledger::Ledger& ledger_;
    const Laptop& laptop_;
    const model::Connection& connection_;
    transport::OncePrompt prompt_;
};

// Asks on the terminal through term::Prompt; Code::key_unusable at once when there is none.
class TerminalSecrets final : public transport::SecretPrompt {
  public:
    explicit TerminalSecrets(term::Prompt& prompt) : prompt_(prompt) {}
    Result<std::string> ask(const Op& op, const transport::SecretQuestion& question) override;
    [[nodiscard]] bool possible() const override;
    [[nodiscard]] bool forbidden() const override;
    void make_way(const std::function<void()>& asking) override;

  private:
    term::Prompt& prompt_;
};

}  // namespace drawhitch::flow
