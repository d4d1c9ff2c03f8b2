// Login shells and what their start-up files do, behind a real sshd.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "io/transport/script.hpp"
#include "io/transport/ssh.hpp"
#include "support/private_sshd.hpp"
#include "support/test_op.hpp"

namespace drawhitch {

using support::PrivateSshd;
using support::TestOp;
using transport::PinnedKeys;
using transport::run_script;
using transport::SshTransport;
using transport::SshTrust;

namespace {

struct Shell {
    const char* path;
    const char* start_up;  // the file it reads for a command, under HOME; null when it reads none
};
constexpr Shell k_shells[] = {{"/bin/bash", ".bashrc"}, {"/bin/dash", nullptr},
                              {"/bin/zsh", ".zshenv"},  {"/bin/tcsh", ".tcshrc"},
                              {"/bin/csh", ".cshrc"},   {"/usr/bin/fish", ".config/fish/config.fish"}};

// Lines that each of those shells understands.
struct StartUp {
    const char* does;
    const char* lines;
};
constexpr StartUp k_start_ups[] = {
    {"nothing", ""},
    {"prints", "echo 'Welcome to the machine!'; echo 'warning' | cat\n"},
    {"prints binary without an end of line", "head -c 3000 /dev/urandom; printf 'x\\0y'\n"},
    {"sleeps", "sleep 0.4\n"},
    {"reads its input, if there is any", "timeout 0.3 cat > /dev/null\n"},
    {"prints much", "head -c 30000 /dev/zero | tr '\\000' z\n"},
};

constexpr const char* k_script = "v='it'\\''s'\nprintf '%s\\n' \"$v\"\ncat\nexit 5\n";

}  // namespace

TEST_CASE("a script runs under each login shell, whatever its start-up file does", "[transport][ssh]") {
    const Shell shell = GENERATE(from_range(std::begin(k_shells), std::end(k_shells)));
    CAPTURE(shell.path);
    REQUIRE(::access(shell.path, X_OK) == 0);
    PrivateSshd server({.login_shell = shell.path});
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    for (const StartUp& start_up : k_start_ups) {
        CAPTURE(start_up.does);
        if (shell.start_up != nullptr) {
            support::run_tool({"mkdir", "-p", server.home() + "/.config/fish"});
            support::write_file(server.home() + "/" + shell.start_up, start_up.lines);
        }
        SshTransport box(server.target(), SshTrust{pins});
        const auto result = run_script(test, box, k_script, "line\n.\nend");
        CAPTURE(result ? std::string{} : result.error().message + ": " + result.error().why, server.log());
        REQUIRE(result);
        CHECK(result->out == "it's\nline\n.\nend");
        CHECK(result->exit.code == 5);
        // The start-up file did run, else this would prove nothing.
        if (shell.start_up != nullptr && std::string_view(start_up.does).starts_with("prints")) {
            CHECK_FALSE(result->noise.empty());
        }
    }
}

TEST_CASE("a start-up file that waits for input for ever is told from a dead box", "[transport][ssh]") {
    PrivateSshd server({.login_shell = "/bin/bash"});
    support::write_file(server.home() + "/.bashrc", "echo 'Your name?'\nread name\n");
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTransport box(server.target(), SshTrust{pins});
    const auto result = run_script(test, box, "true", {}, {.ready = milliseconds{700}});
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::shell_missing);
    CHECK(result.error().why.find("Your name?") != std::string::npos);
}

TEST_CASE("a banner before the login and a message of the day disturb nothing", "[transport][ssh]") {
    PrivateSshd server({.config = {"Banner /etc/services", "PrintMotd yes"}});
    const TestOp test;
    PinnedKeys pins(server.host_keys());
    SshTransport box(server.target(), SshTrust{pins});
    const auto result = run_script(test, box, "echo fine");
    REQUIRE(result);
    CHECK(result->out == "fine\n");
}

}  // namespace drawhitch
