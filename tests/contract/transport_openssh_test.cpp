// The user's ssh program as a transport: the same contract, the same classes of failure, and what only it can do.
#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <thread>

#include "contract/transport_contract.hpp"
#include "core/parse/ssh_config.hpp"
#include "core/plan/exec_script.hpp"
#include "io/transport/openssh.hpp"
#include "io/transport/script.hpp"
#include "support/private_sshd.hpp"
#include "support/proxy.hpp"
#include "support/skip.hpp"
#include "support/ssh_agent.hpp"
#include "support/test_op.hpp"

namespace drawhitch {

using support::PrivateSshd;
using support::Proxy;
using support::ScriptedServer;
using support::TempDir;
using support::TestOp;
using transport::OpensshSetup;
using transport::OpensshTransport;
using transport::run_script;
using transport::SshTarget;

namespace {

// Without the configuration of whoever runs the tests.
OpensshSetup setup_in(const TempDir& dir) {
    OpensshSetup setup;
    setup.config_file = "none";
    setup.runtime_dir = dir / "run";
    return setup;
}

Error failure(const SshTarget& target, const std::vector<model::HostKey>& pins) {
    const TempDir dir;
    const TestOp test;
    OpensshTransport box(target, setup_in(dir), pins);
    const auto result = run_script(test, box, "true");
    REQUIRE_FALSE(result);
    CAPTURE(result.error().message, result.error().why);
    return result.error();
}

}  // namespace

TEST_CASE("the openssh transport keeps the contract", "[transport][openssh]") {
    static PrivateSshd server;
    static TempDir dir;
    contract::check_transport(
        [] { return std::make_unique<OpensshTransport>(server.target(), setup_in(dir), server.host_keys()); },
        {.tells_signals = false});
}

TEST_CASE("the openssh transport keeps the contract over one shared connection", "[transport][openssh]") {
    static PrivateSshd server;
    static TempDir dir;
    contract::check_transport(
        [] {
            OpensshSetup setup = setup_in(dir);
            setup.shared = true;
            return std::make_unique<OpensshTransport>(server.target(), setup, server.host_keys());
        },
        {.tells_signals = false, .tells_deaths = false});
}

TEST_CASE("the openssh transport keeps the contract against dropbear", "[transport][openssh]") {
    static PrivateSshd server({.dropbear = true});
    static TempDir dir;
    contract::check_transport(
        [] { return std::make_unique<OpensshTransport>(server.target(), setup_in(dir), server.host_keys()); },
        {.tells_signals = false});
}

TEST_CASE("the ssh program's failures have the same classes", "[transport][openssh]") {
    PrivateSshd server;
    SshTarget target = server.target();
    SECTION("closed port") {
        target.port = support::closed_port();
        CHECK(failure(target, server.host_keys()).code == Code::refused);
    }
    SECTION("no such name") {
        target.host = "no-such-box.invalid";
        CHECK(failure(target, server.host_keys()).code == Code::dns);
    }
    SECTION("another service") {
        const ScriptedServer web("HTTP/1.1 400 Bad Request\r\n\r\n", true);
        target.port = web.port();
        CHECK(failure(target, server.host_keys()).code == Code::no_banner);
    }
    SECTION("a server that never greets") {
        const ScriptedServer mute("", false);
        target.port = mute.port();
        target.limits.connect = milliseconds{1'000};
        CHECK(failure(target, server.host_keys()).code == Code::no_banner);
    }
    SECTION("too busy") {
        const ScriptedServer busy("Exceeded MaxStartups\r\n", true);
        target.port = busy.port();
        CHECK(failure(target, server.host_keys()).code == Code::limits);
    }
    SECTION("a changed host key, before any login") {
        auto pins = server.host_keys();
        pins.front().blob.back() = static_cast<char>(pins.front().blob.back() ^ 1);
        CHECK(failure(target, pins).code == Code::host_key);
        CHECK(server.log().find("publickey") == std::string::npos);
    }
    SECTION("an unknown host key, before any login") {
        CHECK(failure(target, {}).code == Code::host_key);
        CHECK(server.log().find("publickey") == std::string::npos);
    }
    SECTION("a wrong key") {
        support::make_key(server.dir() / "other", "ecdsa");
        target.identity_files = {server.dir() / "other"};
        CHECK(failure(target, server.host_keys()).code == Code::auth);
    }
    SECTION("a cut") {
        Proxy proxy(server.port());
        target.port = proxy.port();
        proxy.reset_after(100'000);
        const TempDir dir;
        const TestOp test;
        OpensshTransport box(target, setup_in(dir), server.host_keys());
        const auto result = run_script(test, box, "exec cat", std::string(1'000'000, 'x'));
        REQUIRE_FALSE(result);
        CHECK(result.error().code == Code::link_lost);
    }
    SECTION("no such program") {
        const TempDir dir;
        const TestOp test;
        OpensshSetup setup = setup_in(dir);
        setup.program = "no-such-ssh";
        OpensshTransport box(target, setup, server.host_keys());
        const auto result = run_script(test, box, "true");
        REQUIRE_FALSE(result);
        CHECK(result.error().code == Code::not_found);
    }
}

TEST_CASE("a command that itself exits with 255 is told from a failing ssh", "[transport][openssh]") {
    PrivateSshd server;
    const TempDir dir;
    const TestOp test;
    OpensshSetup setup = setup_in(dir);
    setup.shared = GENERATE(false, true);
    OpensshTransport box(server.target(), setup, server.host_keys());
    const auto result = run_script(test, box, "echo 'Permission denied' >&2; exit 255");
    REQUIRE(result);
    CHECK(result->exit.code == 255);
    CHECK(result->err == "Permission denied\n");
}

TEST_CASE("cancel ends the ssh program in each phase", "[transport][openssh]") {
    PrivateSshd server;
    const ScriptedServer mute("", false);
    const support::FullPort full;
    const std::string phase = GENERATE("connecting", "greeting", "running");
    CAPTURE(phase);
    SshTarget target = server.target();
    if (phase == "connecting") target.port = full.port();
    if (phase == "greeting") target.port = mute.port();
    const TempDir dir;
    TestOp test;
    OpensshTransport box(target, setup_in(dir), server.host_keys());
    std::thread later([&] {
        const Cancel never;
        system_clock().sleep(milliseconds{200}, never);
        test.cancel().request();
    });
    const auto result = run_script(test, box, "sleep 600");
    later.join();
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::cancelled);
}

TEST_CASE("a jump host is passed, with each host's own key", "[transport][openssh]") {
    PrivateSshd bastion;
    PrivateSshd inner({.host_key_types = {"ecdsa"}, .client_key_type = "ecdsa"});
    const TempDir dir;
    // The bastion is known to the user's own configuration; the box behind it only to the lease.
    const auto bastion_key = bastion.host_keys().front();
    support::write_file(dir / "known_hosts", "[127.0.0.1]:" + std::to_string(bastion.port()) + " " + bastion_key.type +
                                                 " " +
                                                 support::read_file(bastion.dir() / "host_key_ed25519.pub").substr(12));
    support::write_file(
        dir / "config",
        "Host bastion\n HostName 127.0.0.1\n Port " + std::to_string(bastion.port()) + "\n User " + bastion.user() +
            "\n IdentityFile " + bastion.client_key() + "\n UserKnownHostsFile " + (dir / "known_hosts") +
            "\n IdentitiesOnly yes\n StrictHostKeyChecking yes\nHost inner\n HostName 127.0.0.1\n Port " +
            std::to_string(inner.port()) + "\n User " + inner.user() + "\n IdentityFile " + inner.client_key() +
            "\n IdentitiesOnly yes\n ProxyJump bastion\n ForwardAgent yes\n RequestTTY force\n RemoteCommand false\n" +
            " LocalForward 1 127.0.0.1:1\n StrictHostKeyChecking no\n");
    OpensshSetup setup = setup_in(dir);
    setup.config_file = dir / "config";
    setup.alias = "inner";
    const TestOp test;

    const auto text = transport::read_ssh_config(test, setup, "inner");
    REQUIRE(text);
    const parse::SshConfig config = parse::ssh_config(*text);
    CHECK(config.port == inner.port());
    CHECK(parse::needs_ssh_program(config).find("bastion") != std::string::npos);

    OpensshTransport box(inner.target(), setup, inner.host_keys());
    const auto result = run_script(test, box, "echo ${SSH_AUTH_SOCK:-no agent}; tty; cat", "input");
    CAPTURE(result ? std::string{} : result.error().message + ": " + result.error().why);
    REQUIRE(result);
    CHECK(result->out == "no agent\nnot a tty\ninput");
    CHECK(bastion.log().find("Accepted publickey") != std::string::npos);

    // The user's "StrictHostKeyChecking no" does not count for us.
    OpensshTransport stranger(inner.target(), setup, bastion.host_keys());
    const auto refused = run_script(test, stranger, "true");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::host_key);
}

TEST_CASE("a command on the user's terminal keeps its words and its code under every login shell", "[openssh]") {
    const char* shell = GENERATE("/bin/bash", "/bin/dash", "/bin/zsh", "/bin/tcsh", "/usr/bin/fish");
    CAPTURE(shell);
    REQUIRE(::access(shell, X_OK) == 0);
    PrivateSshd server({.login_shell = shell});
    const TempDir dir;
    const TestOp test;
    const auto code_of = [&](const std::vector<std::string>& command) {
        const auto exit = transport::run_attached(test, server.target(), setup_in(dir), server.host_keys(),
                                                  plan::login_line(command));
        CAPTURE(exit ? std::string{} : exit.error().message + ": " + exit.error().why);
        REQUIRE(exit);
        return exit->code;
    };
    const std::string odd = "a  b!\n*'\"`$HOME`\\ %s \\\\ ~ \xff.";
    const std::string want = server.dir() / "want";
    support::write_file(want, "other");
    CHECK(code_of({"sh", "-c", "[ \"$1\" = \"$(cat $2)\" ] || exit 1; exit 9", "sh", odd, want}) == 1);
    support::write_file(want, odd);
    CHECK(code_of({"sh", "-c", "[ \"$1\" = \"$(cat $2)\" ] || exit 1; exit 9", "sh", odd, want}) == 9);
    CHECK(code_of({"test x = x && exit 255"}) == 255);
}

TEST_CASE("a box that is not reached fails on the user's terminal as everywhere", "[openssh]") {
    PrivateSshd server({.host_key_types = {"ed25519", "ecdsa"}});
    const TempDir dir;
    const TestOp test;
    OpensshSetup setup = setup_in(dir);
    setup.cure = "drawhitch adopt b1 there";
    const auto closed =
        transport::run_attached(test, server.target(support::closed_port()), setup, server.host_keys(), "true");
    REQUIRE_FALSE(closed);
    CHECK(closed.error().code == Code::refused);
    auto pins = server.host_keys();
    for (model::HostKey& pin : pins)
        pin.blob.back() = static_cast<char>(pin.blob.back() ^ 1);
    const auto changed = transport::run_attached(test, server.target(), setup, pins, "true");
    REQUIRE_FALSE(changed);
    CHECK(changed.error().code == Code::host_key);
    CHECK(changed.error().next == setup.cure);
}

TEST_CASE("a host's key is learned without logging in", "[transport][openssh]") {
    PrivateSshd server;
    const TempDir dir;
    const TestOp test;
    const auto key = transport::learn_host_key(test, server.target(), setup_in(dir));
    CAPTURE(key ? std::string{} : key.error().message + ": " + key.error().why);
    REQUIRE(key);
    CHECK(key->blob == server.host_keys().front().blob);
    CHECK(key->fingerprint == server.host_keys().front().fingerprint);
    CHECK(server.log().find("Accepted") == std::string::npos);
    SshTarget nowhere = server.target(support::closed_port());
    const auto missing = transport::learn_host_key(test, nowhere, setup_in(dir));
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == Code::refused);
}

TEST_CASE("a host that wants a key and a code asks once for all its processes", "[transport][openssh]") {
    support::skip_unless_root("PAM asks for codes on behalf of root only");
    PrivateSshd server({.config = {"UsePAM yes", "KbdInteractiveAuthentication yes",
                                   "AuthenticationMethods publickey,keyboard-interactive"},
                        .password = "123456"});
    const TempDir dir;
    // In place of a terminal: a program that answers and keeps count.
    support::write_file(dir / "askpass", "#!/bin/sh\necho asked >> " + (dir / "count") + "\necho 123456\n", 0755);
    ::setenv("SSH_ASKPASS", (dir / "askpass").c_str(), 1);
    ::setenv("SSH_ASKPASS_REQUIRE", "force", 1);
    OpensshSetup setup = setup_in(dir);
    setup.shared = true;
    setup.may_ask = true;
    const TestOp test;
    OpensshTransport box(server.target(), setup, server.host_keys());
    for (const char* round : {"1", "2", "3"}) {
        const auto result = run_script(test, box, std::string("echo ") + round);
        CAPTURE(result ? std::string{} : result.error().message + ": " + result.error().why, server.log());
        REQUIRE(result);
        CHECK(result->out == std::string(round) + "\n");
    }
    CHECK(support::read_file(dir / "count") == "asked\n");
    SECTION("and where nobody can be asked, it says so at once") {
        setup.shared = false;
        OpensshTransport alone(server.target(), setup, server.host_keys());
        const auto refused = run_script(test, alone, "true");
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::auth);
    }
    ::unsetenv("SSH_ASKPASS");
    ::unsetenv("SSH_ASKPASS_REQUIRE");
}

TEST_CASE("a runtime directory that others may write is refused", "[transport][openssh]") {
    PrivateSshd server;
    const TempDir dir;
    const OpensshSetup setup = setup_in(dir);
    support::run_tool({"mkdir", "-m", "0777", setup.runtime_dir});
    const TestOp test;
    OpensshTransport box(server.target(), setup, server.host_keys());
    const auto refused = run_script(test, box, "true");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::permission);
}

}  // namespace drawhitch
