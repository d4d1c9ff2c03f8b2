// Keys below a HOME that is not the account's own directory: whichever program connects, they open the box.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>

#include "support/paths.hpp"
#include "support/private_sshd.hpp"
#include "support/run_program.hpp"
#include "support/temp_dir.hpp"

namespace drawhitch {

namespace {

using support::Ran;

// The built program with a HOME elsewhere, and a server that knows one key.
struct Elsewhere {
    support::PrivateSshd server{};
    support::TempDir dir{};
    std::string transport{};

    explicit Elsewhere(std::string kind) : transport(std::move(kind)) {
        std::filesystem::create_directories(server.dir() / "data");
        for (const char* place : {"home/.ssh", "project"})
            std::filesystem::create_directories(dir / place);
        std::filesystem::permissions(dir / "home/.ssh", std::filesystem::perms::owner_all);
        support::write_file(dir / "project/train.py", "print(1)\n");
    }
    void give_key() const {
        support::write_file(dir / "home/.ssh/id_ed25519", support::read_file(server.client_key()), 0600);
    }
    [[nodiscard]] Ran run(std::vector<std::string> words) const {
        words.insert(words.begin(), {support::binary_dir() + "/drawhitch", "--no-input"});
        return support::run_program({.argv = std::move(words),
                                     .env = {"HOME=" + (dir / "home"), "XDG_STATE_HOME=" + (dir / "state"),
                                             "XDG_CONFIG_HOME=" + (dir / "config"), "SSH_AUTH_SOCK="},
                                     .directory = dir / "project"});
    }
    [[nodiscard]] Ran adopt() const {
        return run({"adopt", "--transport", transport, "--data-dir", server.dir() / "data", "--accept-host-key",
                    server.host_keys().front().fingerprint, "b1", "ssh", "-p", std::to_string(server.port()),
                    server.user() + "@127.0.0.1"});
    }
};

}  // namespace

TEST_CASE("a key below a HOME elsewhere opens a box, and without it the box stays shut") {
    const std::string transport = GENERATE("ssh", "openssh");
    CAPTURE(transport);
    const Elsewhere laptop{transport};
    const Ran shut = laptop.adopt();
    CAPTURE(shut.err);
    CHECK(shut.code == 10);
    laptop.give_key();
    const Ran adopted = laptop.adopt();
    INFO(adopted.err);
    REQUIRE(adopted.code == 0);
    const Ran ran = laptop.run({"exec", "b1", "--", "echo", "by exec"});
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK(ran.out == "by exec\n");
    const Ran shell = laptop.run({"ssh", "b1", "--", "echo", "by ssh"});
    INFO(shell.err);
    CHECK(shell.code == 0);
    CHECK(shell.out == "by ssh\n");
    const Ran pushed = laptop.run({"push", "b1"});
    INFO(pushed.err);
    CHECK(pushed.code == 0);
}

}  // namespace drawhitch
