#include "io/term/prompt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "base/fd.hpp"
#include "io/term/screen.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using namespace drawhitch::term;
using support::TestOp;

namespace {

// A pseudo terminal: the prompt opens its slave by name, the test types at the master.
class Keyboard {
  public:
    Keyboard() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
        REQUIRE(master_);
        REQUIRE(::grantpt(master_.get()) == 0);
        REQUIRE(::unlockpt(master_.get()) == 0);
        slave_name_ = ::ptsname(master_.get());
        // Held open, so that typed text waits for the prompt to open the slave.
        slave_.reset(::open(slave_name_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
        REQUIRE(slave_);
    }
    void type(std::string_view text) { REQUIRE(write_all(master_.get(), text, "the terminal")); }
    [[nodiscard]] const std::string& name() const { return slave_name_; }
    [[nodiscard]] bool echoes() const {
        termios now{};
        REQUIRE(::tcgetattr(slave_.get(), &now) == 0);
        return (now.c_lflag & ECHO) != 0;
    }
    // Everything shown so far; the kernel hands it over a moment later, so it waits until `text` is there.
    std::string shown(std::string_view text) {
        while (seen_.find(text) == std::string::npos) {
            std::array<char, 4096> buffer{};
            pollfd ready{master_.get(), POLLIN, 0};
            if (::poll(&ready, 1, 5000) != 1) break;
            const ssize_t count = ::read(master_.get(), buffer.data(), buffer.size());
            if (count <= 0) break;
            seen_.append(buffer.data(), static_cast<std::size_t>(count));
        }
        return seen_;
    }

  private:
    UniqueFd master_;
    UniqueFd slave_{};
    std::string slave_name_{};
    std::string seen_{};
};

}  // namespace

TEST_CASE("only y and yes are yes") {
    struct Row {
        std::string_view typed{};
        bool yes{false};
    };
    for (const Row row : {Row{"y\n", true}, Row{"YES\n", true}, Row{" yes \n", true}, Row{"\n", false},
                          Row{"n\n", false}, Row{"yep\n", false}, Row{"\x04", false}}) {
        Keyboard keyboard;
        EchoGuard echo;
        Prompt prompt{{.terminal = keyboard.name()}, echo};
        keyboard.type(row.typed);
        const auto answer = prompt.yes_no(TestOp{}, "Stop b1?", "drawhitch stop b1 --yes");
        REQUIRE(answer);
        CHECK(*answer == row.yes);
        CHECK(keyboard.shown("[y/N] ").find("Stop b1? [y/N] ") != std::string::npos);
    }
}

TEST_CASE("a name must be typed letter by letter, and -y does not type it") {
    EchoGuard echo;
    for (const bool right : {true, false}) {
        Keyboard keyboard;
        Prompt prompt{{.yes = true, .terminal = keyboard.name()}, echo};
        keyboard.type(right ? "box-1\n" : "box-2\n");
        const auto answer = prompt.typed(TestOp{}, "Type the box's name:", "box-1", "drawhitch down box-1 --lose PATH");
        REQUIRE(answer);
        CHECK(*answer == right);
    }
    Prompt nobody{{.yes = true, .terminal = "/nonexistent"}, echo};
    const auto answer = nobody.typed(TestOp{}, "Type the box's name:", "box-1", "drawhitch down box-1 --lose PATH");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == Code::usage);
    CHECK(answer.error().next == "drawhitch down box-1 --lose PATH");
}

TEST_CASE("-y answers y/N questions without a terminal; --no-input answers none") {
    EchoGuard echo;
    Prompt yes{{.yes = true, .terminal = "/nonexistent"}, echo};
    CHECK(yes.yes_no(TestOp{}, "Go on?", "--yes").value());
    Keyboard keyboard;
    Prompt silent{{.no_input = true, .terminal = keyboard.name()}, echo};
    keyboard.type("y\n");
    const auto answer = silent.yes_no(TestOp{}, "Go on?", "drawhitch stop b1 --yes");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().why == "questions are switched off by --no-input");
    CHECK_FALSE(silent.possible());
}

TEST_CASE("what is no terminal is never asked for a secret") {
    EchoGuard echo;
    Prompt prompt{{.terminal = "/dev/null"}, echo};
    const auto answer = prompt.secret(TestOp{}, "Passphrase:", "ssh-add");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().next == "ssh-add");
}

TEST_CASE("a secret is read with echo off, and echo comes back") {
    Keyboard keyboard;
    EchoGuard echo;
    bool echoed = true;
    Prompt prompt{{.terminal = keyboard.name()}, echo};
    // Switching echo off drops what was typed before, so a second thread types when the question is there.
    std::thread typist{[&] {
        keyboard.shown("Passphrase:");
        echoed = keyboard.echoes();
        keyboard.type("hunter2\n");
    }};
    const auto secret = prompt.secret(TestOp{}, "Passphrase:", "ssh-add");
    typist.join();
    REQUIRE(secret);
    CHECK(*secret == "hunter2");
    CHECK_FALSE(echoed);
    CHECK(keyboard.echoes());
    CHECK(keyboard.shown("Passphrase: \r\n").find("hunter2") == std::string::npos);
}

TEST_CASE("a cancelled question ends at once and gives the terminal back") {
    Keyboard keyboard;
    EchoGuard echo;
    Prompt prompt{{.terminal = keyboard.name()}, echo};
    TestOp test;
    test.cancel().request();
    const auto answer = prompt.secret(test, "Passphrase:", "ssh-add");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == Code::cancelled);
    CHECK(keyboard.echoes());
}
