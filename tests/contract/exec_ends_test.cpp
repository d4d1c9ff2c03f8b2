// A command of exec's over every transport: it ends as itself, and it ends with its connection.
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>
#include <fstream>

#include "base/fd.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "core/plan/exec_script.hpp"
#include "io/transport/local.hpp"
#include "io/transport/openssh.hpp"
#include "io/transport/script.hpp"
#include "io/transport/ssh.hpp"
#include "support/private_sshd.hpp"
#include "support/test_op.hpp"

namespace drawhitch {

using support::PrivateSshd;
using support::TempDir;
using support::TestOp;
using transport::Exit;
using transport::Stream;

namespace {

enum class Way { local, ssh, dropbear, openssh };

// The servers are started by the first case and end with the test program.
class Road {
  public:
    explicit Road(Way way) {
        static PrivateSshd sshd;
        static PrivateSshd dropbear({.dropbear = true});
        static TempDir dir;
        PrivateSshd& server = way == Way::dropbear ? dropbear : sshd;
        if (way == Way::local) {
            box_ = std::make_unique<transport::LocalTransport>();
        } else if (way == Way::openssh) {
            transport::OpensshSetup setup;
            setup.config_file = "none";
            setup.runtime_dir = dir / "run";
            box_ = std::make_unique<transport::OpensshTransport>(server.target(), setup, server.host_keys());
        } else {
            pins_.emplace(server.host_keys());
            box_ = std::make_unique<transport::SshTransport>(server.target(), transport::SshTrust{*pins_});
        }
    }

    Result<Exit> exec(const Op& op, const std::vector<std::string>& command, const std::string& input = {}) {
        const std::string nonce = random_hex(8);
        const std::string script = plan::exec_script({command, {}, input.size(), nonce});
        const std::string farewell = plan::exec_ended_script(nonce);
        return transport::stream_tied_script(op, *box_, {script, input, farewell},
                                             [this](Stream stream, std::string_view piece) -> Status {
                                                 if (stream == Stream::out) out.append(piece);
                                                 if (on_output) on_output();
                                                 return ok();
                                             });
    }
    // The connection ends.
    void leave() { box_.reset(); }

    std::string out{};
    std::function<void()> on_output{};

  private:
    std::optional<transport::PinnedKeys> pins_{};
    std::unique_ptr<transport::Transport> box_{};
};

// A process of somebody else's; opened while it lives, so that its number cannot come to mean another one.
class Watched {
  public:
    explicit Watched(std::string_view pid)
        : fd_(static_cast<int>(::syscall(SYS_pidfd_open, std::stoi(std::string{pid}), 0))) {
        REQUIRE(fd_);
    }
    // The command would live for ten minutes by itself.
    [[nodiscard]] bool ends() const {
        pollfd ended{fd_.get(), POLLIN, 0};
        return ::poll(&ended, 1, 30'000) == 1;
    }

  private:
    UniqueFd fd_{};
};

// The numbers of what lives in a process group; what only waits to be collected does not.
std::vector<std::string> living(const std::string& group) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string number = entry.path().filename();
        if (number.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(entry.path() / "stat");
        std::string line;
        std::getline(file, line);
        const auto name_end = line.rfind(") ");
        if (name_end == std::string::npos) continue;
        const auto words = split(std::string_view{line}.substr(name_end + 2), ' ');
        if (words.size() > 2 && words[2] == group && words[0] != "Z" && words[0] != "X") found.push_back(number);
    }
    return found;
}

// Cancels once the command has told its own number and its child's, and looks what becomes of both.
void check_ends(Way way, const std::string& trap) {
    Road road(way);
    TestOp test;
    std::vector<Watched> processes;
    road.on_output = [&] {
        const auto numbers = split(trim(road.out), ' ');
        if (numbers.size() < 2 || !road.out.ends_with('\n') || !processes.empty()) return;
        for (const std::string_view number : numbers)
            processes.emplace_back(number);
        test.cancel().request();
    };
    const auto exit = road.exec(test, {"sh", "-c", trap + "sleep 600 & echo $$ $!; while :; do wait; done"});
    REQUIRE_FALSE(exit);
    CHECK(exit.error().code == Code::cancelled);
    if (trap.empty()) {
        CHECK(living(std::string{split(trim(road.out), ' ').front()}).empty());
        CHECK(exit.error().why.empty());
    } else if (way != Way::local) {  // a child of ours is killed sooner
        CHECK(exit.error().why.find("KILL") != std::string::npos);
    }
    road.leave();
    REQUIRE(processes.size() == 2);
    CHECK(processes[0].ends());
    CHECK(processes[1].ends());
}

}  // namespace

TEST_CASE("a cancelled command has ended on the box when its caller hears of it, with its children and its watcher",
          "[transport][ssh][openssh]") {
    check_ends(GENERATE(Way::local, Way::ssh, Way::dropbear, Way::openssh), "");
}

TEST_CASE("a command that passes over TERM ends by KILL", "[transport][ssh][openssh]") {
    check_ends(GENERATE(Way::local, Way::ssh), "trap '' TERM HUP; ");
}

TEST_CASE("a command that is left alone ends as itself", "[transport][ssh][openssh]") {
    const Way way = GENERATE(Way::local, Way::ssh, Way::dropbear, Way::openssh);
    const TestOp test;
    Road road(way);
    SECTION("with its code and its words") {
        const auto exit =
            road.exec(test, {"sh", "-c", "printf '[%s]' \"$@\"; exit 7", "sh", "a  b", "it's\n.\n$HOME", ""});
        REQUIRE(exit);
        CHECK(exit->code == 7);
        CHECK(road.out == "[a  b][it's\n.\n$HOME][]");
    }
    SECTION("with its signal") {
        const auto exit = road.exec(test, {"kill -TERM $$"});
        REQUIRE(exit);
        if (way == Way::openssh) {
            CHECK(exit->code == 255);
        } else {
            CHECK(exit->signal == "TERM");
        }
    }
    SECTION("with all of its input, and without any") {
        std::string input(3'000'000, 'x');
        input += std::string("\0.\n\377", 4);
        REQUIRE(road.exec(test, {"cat"}, input));
        CHECK(road.out == input);
        road.out.clear();
        REQUIRE(road.exec(test, {"wc", "-c"}));
        CHECK(trim(road.out) == "0");
        REQUIRE(road.exec(test, {"true"}, input));
    }
    SECTION("with what it leaves behind to finish its output") {
        REQUIRE(road.exec(test, {"(sleep 0.3; echo later) & echo now"}));
        // dropbear itself closes the channel with its first process.
        CHECK(road.out == (way == Way::dropbear ? "now\n" : "now\nlater\n"));
    }
    SECTION("whose only children are its own") {
        const auto exit = road.exec(test, {"perl", "-e", "while (wait() != -1) {} print 'none'"});
        REQUIRE(exit);
        CHECK(road.out == "none");
    }
}

}  // namespace drawhitch
