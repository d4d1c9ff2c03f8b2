#include "flow/connector.hpp"

#include <pwd.h>
#include <unistd.h>

#include "base/text.hpp"
#include "core/config/load_profile.hpp"
#include "flow/endpoint_of.hpp"
#include "io/ledger/ledger.hpp"
#include "io/term/prompt.hpp"
#include "io/transport/local.hpp"
#include "io/transport/script.hpp"
#include "io/transport/ssh.hpp"

namespace drawhitch::flow {

namespace {

// An ssh transport together with the policy it refers to.
class PinnedSsh final : public transport::Transport {
  public:
    PinnedSsh(transport::SshTarget target, std::vector<model::HostKey> pins, std::string cure,
              transport::SecretPrompt& prompt)
        : cure_(cure),
          keys_(std::move(pins), std::move(cure)),
          ssh_(std::move(target), transport::SshTrust{keys_, &prompt, false}) {}

    Result<std::unique_ptr<transport::Process>> exec(const Op& op, const transport::BoxCommand& command) override {
        auto process = ssh_.exec(op, command);
        // Adopted again, it is reached through the program that can answer.
        if (!process && process.error().code == Code::auth && ssh_.beyond() == transport::Beyond::person)
            return std::move(process).error().then(cure_);
        return process;
    }
    [[nodiscard]] std::string describe() const override { return ssh_.describe(); }
    void tell(transport::Milestones milestones) override { ssh_.tell(std::move(milestones)); }

  private:
    std::string cure_{};
    transport::PinnedKeys keys_;
    transport::SshTransport ssh_;
};

}  // namespace

transport::SshTarget LeaseConnector::target(const model::Endpoint& endpoint) const {
    transport::SshTarget target;
    target.host = endpoint.host;
    target.port = endpoint.port;
    target.user = endpoint.user;
    if (!endpoint.identity_file.empty()) target.identity_files.push_back(endpoint.identity_file);
    target.agent_socket = laptop_.environment("SSH_AUTH_SOCK").value_or("");
    target.home = laptop_.home;
    if (connection_.connect_timeout_s) target.limits.connect = std::chrono::seconds{*connection_.connect_timeout_s};
    if (connection_.stall_timeout_s) target.limits.stall = std::chrono::seconds{*connection_.stall_timeout_s};
    return target;
}

namespace {

// A control socket's path may hold some 100 characters, and ssh needs a few of them itself.
constexpr std::size_t k_longest_runtime_dir = 60;

std::string runtime_dir(const Laptop& laptop) {
    const std::string session = laptop.environment("XDG_RUNTIME_DIR").value_or("");
    for (const std::string& place : {session.empty() ? session : session + "/drawhitch", laptop.state_dir + "/run"}) {
        if (!place.empty() && place.front() == '/' && place.size() <= k_longest_runtime_dir) return place;
    }
    return "/tmp/drawhitch-" + std::to_string(::geteuid());
}

// The built-in client finds its keys below HOME, and ssh in the home of the password database.
std::vector<std::string> keys_ssh_overlooks(const std::string& home) {
    passwd entry{};
    passwd* found = nullptr;
    char text[4096];
    (void)::getpwuid_r(::geteuid(), &entry, text, sizeof text, &found);
    if (home.empty() || found == nullptr || home == entry.pw_dir) return {};
    std::vector<std::string> keys;
    for (const char* name : {"id_ed25519", "id_ecdsa", "id_rsa"}) {
        std::string path = home + "/.ssh/" + name;
        if (::access(path.c_str(), R_OK) == 0) keys.push_back(std::move(path));
    }
    return keys;
}

model::Limits limits_of(const model::Lease& lease) {
    if (lease.profile_toml.empty()) return {};
    return config::load_profile(lease.profile_toml, lease.profile, "").value.limits;
}

}  // namespace

transport::OpensshSetup LeaseConnector::openssh(const model::Endpoint& endpoint, bool shared) const {
    transport::OpensshSetup setup;
    setup.alias = endpoint.alias;
    setup.usual_keys = keys_ssh_overlooks(laptop_.home);
    setup.runtime_dir = runtime_dir(laptop_);
    setup.shared = shared;
    setup.may_ask = shared && may_ask();
    return setup;
}

int LeaseConnector::most_at_once(const model::Lease& lease) const {
    if (lease.endpoint.transport == model::TransportKind::local) return 1;
    return asks(lease) ? 1 : connection_.max_connections.value_or(limits_of(lease).max_connections);
}

bool LeaseConnector::asks(const model::Lease& lease) const {
    if (lease.endpoint.transport != model::TransportKind::openssh) return false;
    const auto found = ledger_.note(lease.id, k_asks_note);
    return limits_of(lease).mfa || (found && *found == "yes");
}

bool LeaseConnector::may_ask() const {
    const auto is_set = [this](const char* name) { return !laptop_.environment(name).value_or("").empty(); };
    if (prompt_.forbidden()) return false;
    if (prompt_.possible()) return true;
    const bool forced = laptop_.environment("SSH_ASKPASS_REQUIRE").value_or("") == "force";
    return is_set("SSH_ASKPASS") && (forced || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"));
}

Status LeaseConnector::log_in(const Op& op, transport::OpensshTransport& box) {
    if (box.is_open()) return ok();
    Status in = ok();
    prompt_.make_way([&] {
        const auto ran = transport::run_script(op, box, "exit 0");
        if (!ran) in = ran.error();
    });
    return in;
}

Result<std::unique_ptr<transport::Transport>> LeaseConnector::to(const Op& op, const model::Lease& lease) {
    using Made = std::unique_ptr<transport::Transport>;
    if (lease.endpoint.transport == model::TransportKind::local)
        return Made{std::make_unique<transport::LocalTransport>()};
    TRY_ASSIGN(auto pins, ledger_.host_keys(lease.id));
    if (lease.endpoint.transport == model::TransportKind::openssh) {
        const bool asking = asks(lease);
        transport::OpensshSetup setup = openssh(lease.endpoint, asking);
        setup.cure = adopt_again(lease);
        auto made =
            std::make_unique<transport::OpensshTransport>(target(lease.endpoint), std::move(setup), std::move(pins));
        if (asking) TRY(log_in(op, *made));
        return Made{std::move(made)};
    }
    return Made{std::make_unique<PinnedSsh>(target(lease.endpoint), std::move(pins), adopt_again(lease), prompt_)};
}

bool TerminalSecrets::possible() const {
    return prompt_.possible();
}

bool TerminalSecrets::forbidden() const {
    return prompt_.forbidden();
}

void TerminalSecrets::make_way(const std::function<void()>& asking) {
    prompt_.make_way(asking);
}

Result<std::string> TerminalSecrets::ask(const Op& op, const transport::SecretQuestion& question) {
    const bool passphrase = question.kind == transport::SecretKind::passphrase;
    std::string words = passphrase ? "Passphrase of " + printable(question.what) + ": "
                                   : "Password of " + printable(question.what) + ": ";
    if (question.attempt > 1) words = "That was not it. " + words;
    auto answer = prompt_.secret(op, words, passphrase ? "ssh-add " + shell_quote(question.what) : "--password-stdin");
    if (answer || answer.error().code != Code::usage) return answer;
    if (!passphrase) return answer;
    return Error{Code::key_unusable,
                 "the key " + printable(question.what) + " needs its passphrase, and nobody can be asked here"}
        .because("no terminal, or --no-input")
        .then("ssh-add " + shell_quote(question.what));
}

}  // namespace drawhitch::flow
