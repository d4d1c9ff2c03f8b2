// Each outside failure of an SSH connection in its own class, with a cause and never the wrong one.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <thread>

#include "io/transport/script.hpp"
#include "io/transport/ssh.hpp"
#include "support/private_sshd.hpp"
#include "support/proxy.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

namespace drawhitch {

using support::PrivateSshd;
using support::Proxy;
using support::ScriptedServer;
using support::TestOp;
using transport::PinnedKeys;
using transport::run_script;
using transport::SshTarget;
using transport::SshTransport;
using transport::SshTrust;

namespace {

// A connection attempt that must fail.
Error failure(const SshTarget& target, std::vector<model::HostKey> pins = {}) {
    const TestOp test;
    PinnedKeys keys(std::move(pins));
    SshTransport box(target, SshTrust{keys});
    const auto result = run_script(test, box, "true");
    REQUIRE_FALSE(result);
    CAPTURE(result.error().message, result.error().why);
    CHECK_FALSE(result.error().message.empty());
    // B25: a failure that is not the network's is never called so.
    CHECK(result.error().message.find("network") == std::string::npos);
    return result.error();
}

SshTarget nobody(std::uint16_t port) {
    SshTarget target;
    target.host = "127.0.0.1";
    target.port = port;
    target.user = "nobody";
    return target;
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a name that does not exist is a name failure", "[transport][ssh]") {
    SshTarget target = nobody(22);
    target.host = "no-such-box.invalid";
    const Error error = failure(target);
    CHECK(error.code == Code::dns);
    CHECK(has(error.message, "no-such-box.invalid"));
}

TEST_CASE("a closed port is a refusal", "[transport][ssh]") {
    const Error error = failure(nobody(support::closed_port()));
    CHECK(error.code == Code::refused);
    CHECK(error.retry == Retry::after_wait);
}

TEST_CASE("a port of another service is no SSH server, and its words are shown", "[transport][ssh]") {
    const ScriptedServer web("HTTP/1.1 400 Bad Request\r\nServer: \x1B[31mred\r\n\r\n", true);
    const Error error = failure(nobody(web.port()));
    CHECK(error.code == Code::no_banner);
    CHECK(has(error.message, "HTTP/1.1 400 Bad Request"));
}

TEST_CASE("a server that hangs up at once is told from one that refuses", "[transport][ssh]") {
    const ScriptedServer hasty("", true);
    CHECK(failure(nobody(hasty.port())).code == Code::no_banner);
}

TEST_CASE("a server that is too busy is a limit, not a fault", "[transport][ssh]") {
    const ScriptedServer busy("Exceeded MaxStartups\r\n", true);
    const Error error = failure(nobody(busy.port()));
    CHECK(error.code == Code::limits);
    CHECK(error.retry == Retry::after_wait);
    const ScriptedServer angry("Not allowed at this time\r\n", true);
    const Error either = failure(nobody(angry.port()));
    CHECK(either.code == Code::limits);
    CHECK(has(either.why, "MaxStartups"));
    CHECK(has(either.why, "PerSourcePenalties"));
}

TEST_CASE("a server that accepts and never answers is given up after the connect limit", "[transport][ssh]") {
    const ScriptedServer mute("", false);
    SshTarget target = nobody(mute.port());
    target.limits.connect = milliseconds{300};
    const Error error = failure(target);
    CHECK(error.code == Code::no_banner);
    CHECK(has(error.message, "no SSH greeting"));
}

TEST_CASE("a server that greets and then hangs is a stall", "[transport][ssh]") {
    const ScriptedServer mute("SSH-2.0-mute\r\n", false);
    SshTarget target = nobody(mute.port());
    target.limits.stall = milliseconds{300};
    CHECK(failure(target).code == Code::stalled);
}

TEST_CASE("an address that drops packets times out", "[transport][ssh]") {
    const support::FullPort full;
    SshTarget target = nobody(full.port());
    target.limits.connect = milliseconds{300};
    CHECK(failure(target).code == Code::connect_timeout);
}

TEST_CASE("a changed host key stops before authentication", "[transport][ssh]") {
    PrivateSshd server;
    std::vector<model::HostKey> pins = server.host_keys();
    pins.front().blob.back() = static_cast<char>(pins.front().blob.back() ^ 1);
    const Error error = failure(server.target(), pins);
    CHECK(error.code == Code::host_key);
    CHECK(has(error.why, "SHA256:"));
    CHECK_FALSE(has(server.log(), "publickey"));  // nobody tried to log in
}

TEST_CASE("an unknown host key is not accepted by itself", "[transport][ssh]") {
    PrivateSshd server;
    CHECK(failure(server.target()).code == Code::host_key);
}

TEST_CASE("a host known by one key type is asked for that type", "[transport][ssh]") {
    PrivateSshd server({.host_key_types = {"ed25519", "ecdsa", "rsa"}});
    const TestOp test;
    for (const model::HostKey& only : server.host_keys()) {
        CAPTURE(only.type);
        PinnedKeys pins({only});
        SshTransport box(server.target(), SshTrust{pins});
        const auto result = run_script(test, box, "echo $SSH_CONNECTION | wc -w | tr -d ' '");
        REQUIRE(result);
        CHECK(result->out == "4\n");
    }
}

TEST_CASE("a wrong key names the key tried and what the server would take", "[transport][ssh]") {
    PrivateSshd server;
    SshTarget target = server.target();
    support::make_key(server.dir() / "other", "ecdsa");
    target.identity_files = {server.dir() / "other"};
    const Error error = failure(target, server.host_keys());
    CHECK(error.code == Code::auth);
    CHECK(error.retry == Retry::never);
    CHECK(has(error.why, "other (ecdsa-sha2-nistp256)"));
    CHECK(has(error.why, "publickey"));
    // The next command installs the key that was named, not whatever an agent holds.
    CHECK(has(error.next, "ssh-copy-id -i '" + (server.dir() / "other") + "' -p "));
}

TEST_CASE("a wrong user is refused like a wrong key", "[transport][ssh]") {
    PrivateSshd server;
    SshTarget target = server.target();
    target.user = "no-such-user";
    CHECK(failure(target, server.host_keys()).code == Code::auth);
}

TEST_CASE("a key file open to others is refused before any connection", "[transport][ssh]") {
    PrivateSshd server;
    REQUIRE(::chmod(server.client_key().c_str(), 0644) == 0);
    const Error error = failure(server.target(support::closed_port()), server.host_keys());
    CHECK(error.code == Code::key_permissions);
    CHECK(has(error.next, "chmod 600"));
}

TEST_CASE("a usual key file that is open to others, and no other key, is what stands in the way", "[transport][ssh]") {
    PrivateSshd server;
    support::TempDir home;
    REQUIRE(::mkdir((home / ".ssh").c_str(), 0700) == 0);
    support::write_file(home / ".ssh/id_ed25519", support::read_file(server.client_key()), 0644);
    SshTarget target = server.target();
    target.identity_files.clear();
    target.home = home.path();
    target.agent_socket.clear();
    const Error error = failure(target, server.host_keys());
    CHECK(error.code == Code::key_permissions);
    CHECK(has(error.next, "chmod 600"));
}

TEST_CASE("a missing key file is named before any connection", "[transport][ssh]") {
    SshTarget target = nobody(support::closed_port());
    target.identity_files = {"/nonexistent/key"};
    const Error error = failure(target);
    CHECK(error.code == Code::key_unusable);
    CHECK(has(error.message, "/nonexistent/key"));
}

TEST_CASE("an encrypted key without a terminal fails at once and suggests ssh-add", "[transport][ssh]") {
    PrivateSshd server;
    support::make_key(server.dir() / "locked", "ed25519", "secret words");
    SshTarget target = server.target(support::closed_port());
    target.identity_files = {server.dir() / "locked"};
    const Error error = failure(target, server.host_keys());
    CHECK(error.code == Code::key_unusable);
    CHECK(has(error.next, "ssh-add"));
}

TEST_CASE("too many refused keys end with the server's own words", "[transport][ssh]") {
    PrivateSshd server({.config = {"MaxAuthTries 2"}});
    SshTarget target = server.target();
    target.identity_files.clear();
    for (int i = 0; i < 4; ++i) {
        const std::string path = server.dir() / ("wrong" + std::to_string(i));
        support::run_tool({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path});
        target.identity_files.push_back(path);
    }
    const Error error = failure(target, server.host_keys());
    CHECK(error.code == Code::auth);
    CHECK(has(error.why, "wrong0"));
}

TEST_CASE("more sessions than the server allows is a limit", "[transport][ssh]") {
    PrivateSshd server({.config = {"MaxSessions 1"}});
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTransport box(server.target(), SshTrust{pins});
    auto first = box.exec(test, transport::BoxCommand::shell("00aa"));
    REQUIRE(first);
    const auto second = box.exec(test, transport::BoxCommand::shell("00bb"));
    REQUIRE_FALSE(second);
    CHECK(second.error().code == Code::limits);
    // The refusal did not harm the connection, and the place is free once the first program has ended.
    std::string_view last_words = "exit 0\n.\n";
    for (bool ended = false; !ended;) {
        const auto step = (*first)->step(test, last_words, true);
        REQUIRE(step);
        last_words.remove_prefix(step->sent);
        ended = step->exit.has_value();
    }
    first->reset();
    const auto again = run_script(test, box, "echo again");
    CAPTURE(again ? std::string{} : again.error().message + ": " + again.error().why);
    REQUIRE(again);
    CHECK(again->out == "again\n");
}

TEST_CASE("more unauthenticated connections than the server allows is a limit", "[transport][ssh]") {
    PrivateSshd server({.config = {"MaxStartups 1"}});
    // The first visitor sits at the login; sshd notes it once it has greeted.
    UniqueFd visitor;
    for (char byte = 0; byte != 'S';) {  // "SSH-…"; anything else turns the visitor away
        visitor = UniqueFd{::socket(AF_INET, SOCK_STREAM, 0)};
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(server.port());
        REQUIRE(::connect(visitor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::recv(visitor.get(), &byte, 1, 0) == 1);
    }
    const Error error = failure(server.target(), server.host_keys());
    CHECK(error.code == Code::limits);
    CHECK(has(error.why, "MaxStartups"));
}

TEST_CASE("a server that forbids commands has no shell for us", "[transport][ssh]") {
    PrivateSshd server({.login_shell = "/bin/false"});
    CHECK(failure(server.target(), server.host_keys()).code == Code::shell_missing);
}

TEST_CASE("a relay that gives only a shell is recognised", "[transport][ssh]") {
    // It ignores the command, shows a prompt and waits for somebody to type.
    PrivateSshd server({.config = {"ForceCommand printf 'RELAY\\nroot@pod:/# '; exec cat"}});
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTransport box(server.target(), SshTrust{pins});
    const auto result = run_script(test, box, "true", {}, {.prompt = milliseconds{200}});
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::shell_missing);
    CHECK(has(result.error().message, "interactive shell"));
}

TEST_CASE("a reset in the middle is a lost link", "[transport][ssh]") {
    PrivateSshd server;
    Proxy proxy(server.port());
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTransport box(server.target(proxy.port()), SshTrust{pins});
    REQUIRE(box.connect(test));
    proxy.reset_after(200'000);
    const auto result = run_script(test, box, "exec cat", std::string(1'000'000, 'x'));
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::link_lost);
    CHECK(result.error().retry == Retry::reconnect);
    // The transport connects anew when asked again.
    const auto again = run_script(test, box, "echo again");
    CAPTURE(again ? std::string{} : again.error().message + ": " + again.error().why);
    REQUIRE(again);
    CHECK(again->out == "again\n");
}

TEST_CASE("a path that goes silent is a stall, also while nothing is being sent", "[transport][ssh]") {
    PrivateSshd server;
    Proxy proxy(server.port());
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTarget target = server.target(proxy.port());
    target.limits.stall = milliseconds{400};
    SshTransport box(target, SshTrust{pins});
    REQUIRE(box.connect(test));
    SECTION("in the middle of a transfer") {
        proxy.freeze_after(200'000);
        const auto result = run_script(test, box, "exec cat", std::string(1'000'000, 'x'));
        REQUIRE_FALSE(result);
        CHECK(result.error().code == Code::stalled);
    }
    SECTION("while a program is quiet") {
        auto process = box.exec(test, transport::BoxCommand::shell("00ff"));
        REQUIRE(process);
        proxy.freeze();
        std::optional<Error> error;
        while (!error) {
            auto step = (*process)->step(test, {}, false);
            if (!step) error = step.error();
        }
        CHECK(error->code == Code::stalled);
    }
}

TEST_CASE("a program that is quiet for longer than the stall limit is no stall on a living path", "[transport][ssh]") {
    PrivateSshd server;
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTarget target = server.target();
    target.limits.stall = milliseconds{4'200};  // libssh2 sends a keep-alive every two seconds at most
    SshTransport box(target, SshTrust{pins});
    const auto result = run_script(test, box, "sleep 5; echo done");
    REQUIRE(result);
    CHECK(result->out == "done\n");
}

TEST_CASE("cancel ends each phase of a connection", "[transport][ssh]") {
    PrivateSshd server;
    Proxy proxy(server.port());
    PinnedKeys pins(server.host_keys());
    const ScriptedServer silent("", false);
    const ScriptedServer greeter("SSH-2.0-mute\r\n", false);
    const std::string phase = GENERATE("connecting", "greeting", "key exchange", "login", "running");
    CAPTURE(phase);
    TestOp test;
    std::uint16_t port = proxy.port();
    const support::FullPort full;
    if (phase == "connecting") port = full.port();
    if (phase == "greeting") port = silent.port();
    if (phase == "key exchange") port = greeter.port();
    if (phase == "login") proxy.freeze_after(1'000);
    SshTransport box(server.target(port), SshTrust{pins});
    std::thread later([&] {
        const Cancel never;
        system_clock().sleep(milliseconds{150}, never);
        test.cancel().request();
    });
    const auto result = run_script(test, box, "sleep 600");
    later.join();
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::cancelled);
}

}  // namespace drawhitch
