// Much data through little room: what breaks SSH clients is a rekey in the middle of it.
#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdio>

#include "io/transport/openssh.hpp"
#include "io/transport/script.hpp"
#include "io/transport/ssh.hpp"
#include "support/private_sshd.hpp"
#include "support/proxy.hpp"
#include "support/test_op.hpp"

namespace drawhitch {

using support::PrivateSshd;
using support::Proxy;
using support::TestOp;
using transport::PinnedKeys;
using transport::run_script;
using transport::SshTransport;
using transport::SshTrust;

namespace {

std::string payload(std::size_t size) {
    std::string bytes(size, '\0');
    std::uint64_t state = 88'172'645'463'325'252;
    for (std::size_t i = 0; i + 8 <= size; i += 8) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
        bytes.replace(i, 8, reinterpret_cast<const char*>(&state), 8);
    }
    return bytes;
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

// Sends all of it through the box's cat, and gets the same back.
void expect_echo(const Op& op, transport::Transport& box, const std::string& all) {
    const auto result = run_script(op, box, "exec cat", all, {.out_bytes = all.size()});
    CAPTURE(result ? std::string{} : result.error().message);
    REQUIRE(result);
    CHECK(result->out == all);
    CHECK(result->exit.clean());
}

}  // namespace

TEST_CASE("large traffic both ways survives many rekeys through a narrow proxy", "[transport][ssh]") {
    const char* cipher = GENERATE("aes128-ctr", "chacha20-poly1305@openssh.com", "aes128-gcm@openssh.com");
    CAPTURE(cipher);
    PrivateSshd server({.config = {"RekeyLimit 4M", "LogLevel DEBUG1", std::string("Ciphers ") + cipher}});
    Proxy proxy(server.port(), 16'384);
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTransport box(server.target(proxy.port()), SshTrust{pins});
    expect_echo(test, box, payload(24U << 20U));
    CHECK(count(server.log(), "set_newkeys: rekeying") >= 6);
}

TEST_CASE("traffic both ways through a narrow proxy is whole against dropbear", "[transport][ssh]") {
    PrivateSshd server({.dropbear = true});
    Proxy proxy(server.port(), 16'384);
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTransport box(server.target(proxy.port()), SshTrust{pins});
    expect_echo(test, box, payload(6U << 20U));
}

TEST_CASE("traffic both ways through a narrow proxy is whole over the ssh program", "[transport][openssh]") {
    const bool dropbear = GENERATE(false, true);
    CAPTURE(dropbear);
    support::SshdOptions options{.dropbear = dropbear};
    if (!dropbear) options.config = {"RekeyLimit 1M", "LogLevel DEBUG1"};
    PrivateSshd server(options);
    Proxy proxy(server.port(), 16'384);
    const TestOp test;
    const support::TempDir dir;
    transport::OpensshSetup setup;
    setup.config_file = "none";
    setup.runtime_dir = dir / "run";
    transport::OpensshTransport box(server.target(proxy.port()), setup, server.host_keys());
    expect_echo(test, box, payload(6U << 20U));
    if (!dropbear) CHECK(count(server.log(), "set_newkeys: rekeying") > 2);
}

TEST_CASE("the ciphers are asked for in our order, whatever the server's is", "[transport][ssh]") {
    struct Row {
        const char* offered;
        const char* chosen;
    };
    const Row row = GENERATE(
        Row{"aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr,aes128-ctr", "aes128-ctr"},
        Row{"aes256-gcm@openssh.com,aes256-ctr,chacha20-poly1305@openssh.com", "chacha20-poly1305@openssh.com"},
        Row{"aes256-gcm@openssh.com,aes128-gcm@openssh.com,aes192-ctr,aes256-ctr", "aes256-ctr"},
        Row{"aes256-gcm@openssh.com,aes128-gcm@openssh.com", "aes128-gcm@openssh.com"});
    CAPTURE(row.offered);
    PrivateSshd server({.config = {std::string("Ciphers ") + row.offered, "LogLevel DEBUG1"}});
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTransport box(server.target(), SshTrust{pins});
    REQUIRE(run_script(test, box, "true"));
    CHECK(count(server.log(), std::string("client->server cipher: ") + row.chosen + " ") == 1);
    CHECK(count(server.log(), std::string("server->client cipher: ") + row.chosen + " ") == 1);
}

TEST_CASE("two processes of one connection move data at once through rekeys", "[transport][ssh]") {
    PrivateSshd server({.config = {"RekeyLimit 2M"}});
    Proxy proxy(server.port(), 16'384);
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTransport box(server.target(proxy.port()), SshTrust{pins});
    const std::string all = payload(6U << 20U);
    struct Talk {
        std::unique_ptr<transport::Process> process{};
        std::string_view left{};
        std::string out{};
        bool ended{false};
    };
    Talk talks[2];
    const std::string text = "exec cat\n.\n" + all;
    for (Talk& talk : talks) {
        auto started = box.exec(test, transport::BoxCommand::shell("00ff"));
        REQUIRE(started);
        talk.process = std::move(*started);
        talk.left = text;
    }
    while (!talks[0].ended || !talks[1].ended) {
        for (Talk& talk : talks) {
            if (talk.ended) continue;
            // A few steps each, so that both are in the middle of things all the time.
            const auto step = talk.process->step(test, talk.left.substr(0, 50'000), talk.left.size() <= 50'000);
            REQUIRE(step);
            talk.left.remove_prefix(step->sent);
            talk.out.append(step->received);
            talk.ended = step->exit.has_value();
        }
    }
    for (const Talk& talk : talks)
        CHECK(talk.out == "\n00ff\n" + all);
}

TEST_CASE("numbers: handshake and throughput on loopback", "[.measure]") {
    PrivateSshd server({.config = {std::string("Ciphers ") +
                                   GENERATE("aes128-ctr", "chacha20-poly1305@openssh.com", "aes128-gcm@openssh.com")}});
    const TestOp test(system_clock(), milliseconds{300'000});
    PinnedKeys pins(server.host_keys());
    const auto seconds = [](Instant from) {
        return std::chrono::duration<double>(system_clock().now() - from).count();
    };
    // CPU time tells more than wall time on a machine that does other things as well.
    const auto cpu = [] {
        rusage used{};
        ::getrusage(RUSAGE_SELF, &used);
        const auto of = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
        };
        return of(used.ru_utime) + of(used.ru_stime);
    };
    const Instant start = system_clock().now();
    SshTransport box(server.target(), SshTrust{pins});
    REQUIRE(box.connect(test));
    std::printf("connect %.1f ms\n", seconds(start) * 1e3);
    const Instant one = system_clock().now();
    REQUIRE(run_script(test, box, "true"));
    std::printf("script %.1f ms\n", seconds(one) * 1e3);
    const Instant pull = system_clock().now();
    const double pull_cpu = cpu();
    std::size_t got = 0;
    REQUIRE(transport::stream_script(test, box, "head -c 536870912 /dev/zero",
                                     [&](transport::Stream, std::string_view piece) {
                                         got += piece.size();
                                         return ok();
                                     }));
    std::printf("pull %.0f MB/s, %.2f CPU s/GB\n", static_cast<double>(got) / seconds(pull) / 1e6,
                (cpu() - pull_cpu) / static_cast<double>(got) * 1e9);
    const std::string all(512U << 20U, 'x');
    const Instant push = system_clock().now();
    const double push_cpu = cpu();
    REQUIRE(run_script(test, box, "cat > /dev/null", all));
    std::printf("push %.0f MB/s, %.2f CPU s/GB\n", static_cast<double>(all.size()) / seconds(push) / 1e6,
                (cpu() - push_cpu) / static_cast<double>(all.size()) * 1e9);
}

}  // namespace drawhitch
