// Who may log in, with what, and what the user is asked.

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <thread>

#include "io/transport/script.hpp"
#include "io/transport/ssh.hpp"
#include "support/private_sshd.hpp"
#include "support/skip.hpp"
#include "support/ssh_agent.hpp"
#include "support/test_op.hpp"

namespace drawhitch {

using support::PrivateSshd;
using support::SshAgent;
using support::TestOp;
using transport::PinnedKeys;
using transport::run_script;
using transport::SecretKind;
using transport::SecretQuestion;
using transport::SshTarget;
using transport::SshTransport;
using transport::SshTrust;

namespace {

// A user who answers with the given words, one after the other.
class Answers final : public transport::SecretPrompt {
  public:
    explicit Answers(std::vector<std::string> words) : words_(std::move(words)) {}
    Result<std::string> ask(const Op&, const SecretQuestion& question) override {
        asked.push_back(question);
        if (asked.size() > words_.size()) return Error{Code::key_unusable, "nobody answers"};
        return words_[asked.size() - 1];
    }
    std::vector<SecretQuestion> asked{};

  private:
    std::vector<std::string> words_{};
};

Result<std::string> greet(const SshTarget& target, const PrivateSshd& server, transport::SecretPrompt* prompt = nullptr,
                          bool by_password = false) {
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTransport box(target, SshTrust{pins, prompt, by_password});
    auto result = run_script(test, box, "echo hello");
    if (!result) return std::move(result).error();
    return result->out;
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("each kind of key file logs in", "[transport][ssh]") {
    const char* type = GENERATE("ed25519", "ecdsa", "rsa");
    const bool with_public_half = GENERATE(true, false);
    CAPTURE(type, with_public_half);
    PrivateSshd server({.client_key_type = type});
    if (!with_public_half) REQUIRE(::unlink((server.client_key() + ".pub").c_str()) == 0);
    const auto hello = greet(server.target(), server);
    REQUIRE(hello);
    CHECK(*hello == "hello\n");
}

TEST_CASE("a PEM key logs in, with and without its public half", "[transport][ssh]") {
    const bool with_public_half = GENERATE(true, false);
    PrivateSshd server({.client_key_type = "rsa"});
    support::run_tool({"ssh-keygen", "-q", "-p", "-m", "PEM", "-N", "", "-f", server.client_key()});
    REQUIRE(support::read_file(server.client_key()).find("BEGIN RSA PRIVATE KEY") != std::string::npos);
    if (!with_public_half) REQUIRE(::unlink((server.client_key() + ".pub").c_str()) == 0);
    REQUIRE(greet(server.target(), server));
}

TEST_CASE("an RSA key signs with the SHA-2 algorithm the server asks for", "[transport][ssh]") {
    const char* algorithm = GENERATE("rsa-sha2-512", "rsa-sha2-256");
    CAPTURE(algorithm);
    PrivateSshd server({.config = {std::string("PubkeyAcceptedAlgorithms ") + algorithm}, .client_key_type = "rsa"});
    SECTION("from a file") {
        REQUIRE(greet(server.target(), server));
    }
    SECTION("from an agent") {
        const SshAgent agent;
        agent.add(server.client_key());
        SshTarget target = server.target();
        target.agent_socket = agent.socket();
        target.identity_files.clear();
        REQUIRE(greet(target, server));
    }
}

TEST_CASE("an encrypted key asks for its passphrase once, also over several connections", "[transport][ssh]") {
    PrivateSshd server;
    support::make_key(server.dir() / "locked", "ed25519", "secret words");
    support::write_file(server.home() + "/.ssh/authorized_keys", support::read_file(server.dir() / "locked.pub"), 0600);
    SshTarget target = server.target();
    target.identity_files = {server.dir() / "locked"};
    Answers user({"secret words"});
    transport::OncePrompt once(user);
    REQUIRE(greet(target, server, &once));
    REQUIRE(greet(target, server, &once));
    REQUIRE(user.asked.size() == 1);
    CHECK(user.asked[0].kind == SecretKind::passphrase);
    CHECK(user.asked[0].what == server.dir() / "locked");
}

TEST_CASE("a mistyped passphrase is asked again, three times at most", "[transport][ssh]") {
    PrivateSshd server;
    support::make_key(server.dir() / "locked", "ed25519", "secret words");
    support::write_file(server.home() + "/.ssh/authorized_keys", support::read_file(server.dir() / "locked.pub"), 0600);
    SshTarget target = server.target();
    target.identity_files = {server.dir() / "locked"};
    SECTION("the third is right") {
        Answers user({"a", "b", "secret words"});
        REQUIRE(greet(target, server, &user));
        CHECK(user.asked.back().attempt == 3);
    }
    SECTION("none is right") {
        Answers user({"a", "b", "c", "secret words"});
        const auto refused = greet(target, server, &user);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::key_unusable);
        CHECK(user.asked.size() == 3);
    }
}

TEST_CASE("nobody is asked for the passphrase of a key the server does not want", "[transport][ssh]") {
    PrivateSshd server;
    support::make_key(server.dir() / "locked", "ed25519", "secret words");
    SshTarget target = server.target();
    target.identity_files = {server.dir() / "locked"};
    Answers user({"secret words"});
    const auto refused = greet(target, server, &user);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::auth);
    CHECK(user.asked.empty());
}

TEST_CASE("an encrypted key that the agent holds needs no passphrase", "[transport][ssh]") {
    PrivateSshd server;
    support::make_key(server.dir() / "locked", "ed25519", "secret words");
    support::write_file(server.home() + "/.ssh/authorized_keys", support::read_file(server.dir() / "locked.pub"), 0600);
    const SshAgent agent;
    // The agent is given the key in the clear; the file on disk stays locked.
    support::write_file(server.dir() / "open", support::read_file(server.dir() / "locked"), 0600);
    support::run_tool({"ssh-keygen", "-q", "-p", "-P", "secret words", "-N", "", "-f", server.dir() / "open"});
    agent.add(server.dir() / "open");
    SshTarget target = server.target();
    target.identity_files = {server.dir() / "locked"};
    target.agent_socket = agent.socket();
    REQUIRE(greet(target, server));
}

TEST_CASE("only the named key is offered, however many the agent holds", "[transport][ssh]") {
    PrivateSshd server({.config = {"LogLevel DEBUG1"}});
    const SshAgent agent;
    for (int i = 0; i < 8; ++i) {
        const std::string path = server.dir() / ("other" + std::to_string(i));
        support::run_tool({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path});
        agent.add(path);
    }
    SshTarget target = server.target();
    target.agent_socket = agent.socket();
    REQUIRE(greet(target, server));
    CHECK_FALSE(has(server.log(), "Failed publickey"));
    SECTION("without a named key a few of the agent's are tried, and the rest is named") {
        target.identity_files.clear();
        const auto refused = greet(target, server);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::auth);
        CHECK(has(refused.error().why, "not tried, a server allows only a few"));
    }
}

TEST_CASE("the usual key files are found, and unusable ones are named when nothing else helps", "[transport][ssh]") {
    PrivateSshd server;
    SshTarget target = server.target();
    target.identity_files.clear();
    target.home = server.dir() / "laptop";
    support::run_tool({"mkdir", "-p", target.home + "/.ssh"});
    support::write_file(target.home + "/.ssh/id_ed25519", support::read_file(server.client_key()), 0600);
    REQUIRE(greet(target, server));
    REQUIRE(::chmod((target.home + "/.ssh/id_ed25519").c_str(), 0640) == 0);
    const auto refused = greet(target, server);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::key_permissions);
    CHECK(has(refused.error().message, "mode 0640"));
}

TEST_CASE("an agent that does not answer can be cancelled and does not stop a key file", "[transport][ssh]") {
    PrivateSshd server;
    // A socket that accepts and stays silent.
    const std::string path = server.dir() / "agent";
    const UniqueFd agent{::socket(AF_UNIX, SOCK_STREAM, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(agent.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(agent.get(), 8) == 0);
    SshTarget target = server.target();
    target.agent_socket = path;
    TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTransport box(target, SshTrust{pins});
    std::thread later([&] {
        const Cancel never;
        system_clock().sleep(milliseconds{100}, never);
        test.cancel().request();
    });
    const auto result = run_script(test, box, "true");
    later.join();
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::cancelled);
}

TEST_CASE("an agent that is not there does not stop a key file", "[transport][ssh]") {
    PrivateSshd server;
    SshTarget target = server.target();
    target.agent_socket = server.dir() / "no-agent";
    REQUIRE(greet(target, server));
}

TEST_CASE("a password logs in once it is asked for, and only after the host key is accepted", "[transport][ssh]") {
    const bool interactive = GENERATE(false, true);
    CAPTURE(interactive);
    if (interactive) support::skip_unless_root("PAM asks for passwords on behalf of root only");
    support::SshdOptions options{.password = "open sesame"};
    if (interactive) {
        options.config = {"UsePAM yes", "KbdInteractiveAuthentication yes"};
    } else {
        options.dropbear = true;
    }
    PrivateSshd server(options);
    SshTarget target = server.target();
    SECTION("the right one") {
        Answers user({"open sesame"});
        const auto hello = greet(target, server, &user, true);
        CAPTURE(server.log());
        REQUIRE(hello);
        REQUIRE(user.asked.size() == 1);
        CHECK(user.asked[0].kind == SecretKind::password);
    }
    SECTION("a wrong one") {
        Answers user({"open barley"});
        const auto refused = greet(target, server, &user, true);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::auth);
        CHECK_FALSE(has(refused.error().message + refused.error().why, "barley"));
    }
    SECTION("a host with another key is never given it") {
        Answers user({"open sesame"});
        const TestOp test;
        PinnedKeys nothing({});
        SshTransport box(target, SshTrust{nothing, &user, true});
        const auto refused = box.connect(test);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::host_key);
        CHECK(user.asked.empty());
    }
}

}  // namespace drawhitch
