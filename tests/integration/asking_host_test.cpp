// Hosts that want more than a key, met by the program as its user does: nothing is configured for them beforehand.
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/paths.hpp"
#include "support/private_sshd.hpp"
#include "support/run_program.hpp"
#include "support/skip.hpp"

using namespace drawhitch;
using support::Ran;

namespace {

// The program and a host; in place of a terminal a program that answers, and keeps count.
class Asked {
  public:
    explicit Asked(const support::SshdOptions& options) : server(options) {
        for (const char* part : {"project", "home", "state", "config", "data", "run"})
            support::run_tool({"mkdir", "-m", "700", dir / part});
        support::write_file(dir / "askpass", "#!/bin/sh\necho asked >> " + (dir / "count") + "\necho 123456\n", 0755);
        support::write_file(dir / "project/train.py", "print('trained')\n");
    }

    // Without a terminal, or on one where the code is typed after `question`.
    Ran run(std::vector<std::string> words, bool answers = true, const std::string& question = {}) const {
        support::Program program;
        program.argv = {"setsid", "-w"};
        if (!question.empty()) {
            program.argv = {support::source_dir() + "/tests/cli/with_terminal.py", "--type", "123456\\n", "--after",
                            question};
        }
        program.argv.push_back(support::binary_dir() + "/drawhitch");
        program.argv.insert(program.argv.end(), words.begin(), words.end());
        program.env = {"HOME=" + (dir / "home"),
                       "XDG_STATE_HOME=" + (dir / "state"),
                       "XDG_CONFIG_HOME=" + (dir / "config"),
                       "XDG_RUNTIME_DIR=" + (dir / "run"),
                       "NO_COLOR=1",
                       "SSH_AUTH_SOCK=",
                       "SSH_ASKPASS=" + (answers ? dir / "askpass" : std::string{}),
                       std::string("SSH_ASKPASS_REQUIRE=") + (answers ? "force" : "never")};
        program.directory = dir / "project";
        return support::run_program(program);
    }
    std::vector<std::string> adopt_words(std::vector<std::string> more = {}) const {
        std::vector<std::string> words{"adopt",
                                       "b1",
                                       "ssh",
                                       "-p",
                                       std::to_string(server.port()),
                                       "-i",
                                       server.client_key(),
                                       server.user() + "@127.0.0.1",
                                       "--accept-host-key",
                                       "any",
                                       "--data-dir",
                                       dir / "data"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    // How often somebody was asked.
    [[nodiscard]] std::size_t count() const {
        if (::access((dir / "count").c_str(), F_OK) != 0) return 0;
        return support::read_file(dir / "count").size() / std::string("asked\n").size();
    }
    [[nodiscard]] std::size_t logins() const {
        const std::string log = server.log();
        std::size_t found = 0;
        for (std::size_t at = 0; (at = log.find("Accepted keyboard-interactive", at)) != std::string::npos; ++at)
            ++found;
        return found;
    }

    support::PrivateSshd server;
    support::TempDir dir{};
};

support::SshdOptions key_and_code() {
    return {.config = {"UsePAM yes", "KbdInteractiveAuthentication yes",
                       "AuthenticationMethods publickey,keyboard-interactive"},
            .password = "123456"};
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a host that asks for a code beside the key is adopted, and asks once for the whole road", "[asking]") {
    support::skip_unless_root("PAM asks for codes on behalf of root only");
    const bool by_hand = GENERATE(false, true);
    CAPTURE(by_hand);
    Asked host(key_and_code());
    const Ran adopted = host.run(
        host.adopt_words(by_hand ? std::vector<std::string>{"--transport", "openssh"} : std::vector<std::string>{}));
    INFO(adopted.err << host.server.log());
    REQUIRE(adopted.code == 0);
    CHECK(has(adopted.err, "one connection serves all"));
    CHECK(has(adopted.out, "openssh"));
    CHECK(host.count() == 1);
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"doctor", "b1"},
             {"push", "b1"},
             {"run", "b1", "--name", "r1", "--no-outputs", "--", "python3", "train.py"},
             {"watch", "b1"},
             {"exec", "b1", "--", "true"},
             {"ssh", "b1", "--", "true"},
         }) {
        const Ran ran = host.run(words);
        CAPTURE(words.front(), ran.out, ran.err);
        CHECK(ran.code == 0);
    }
    CHECK(host.count() == 1);
    CHECK(host.logins() == 1);
}

TEST_CASE("the ssh program asks for the code on the terminal, and the next verb uses the connection that this made",
          "[asking]") {
    support::skip_unless_root("PAM asks for codes on behalf of root only");
    Asked host(key_and_code());
    const Ran adopted = host.run(host.adopt_words(), false, "assword: ");
    INFO(adopted.out << host.server.log());
    REQUIRE(adopted.code == 0);
    CHECK(has(adopted.out, "one connection serves all"));
    CHECK_FALSE(has(adopted.out, "123456"));
    CHECK(host.run({"--no-input", "push", "b1"}, false).code == 0);
    CHECK(host.logins() == 1);
}

TEST_CASE("a profile with mfa is reason enough for the ssh program", "[asking]") {
    support::skip_unless_root("PAM asks for codes on behalf of root only");
    Asked host(key_and_code());
    support::run_tool({"mkdir", "-p", host.dir / "config/drawhitch/profiles"});
    std::string text = support::read_file(support::source_dir() + "/profiles/generic-ssh.toml");
    text.replace(text.find("generic-ssh"), std::string("generic-ssh").size(), "asking");
    text.replace(text.find("[limits]"), std::string("[limits]").size(), "[limits]\nmfa = true");
    support::write_file(host.dir / "config/drawhitch/profiles/asking.toml", text);
    const Ran adopted = host.run(host.adopt_words({"--profile", "asking"}));
    INFO(adopted.err);
    REQUIRE(adopted.code == 0);
    CHECK(has(adopted.err, "mfa"));
    CHECK(host.run({"exec", "b1", "--", "true"}).code == 0);
    CHECK(host.count() == 1);
}

TEST_CASE("where nobody can be asked, a host that wants a code is refused with the truth and the next step",
          "[asking]") {
    support::skip_unless_root("PAM asks for codes on behalf of root only");
    Asked host(key_and_code());
    const bool forbidden = GENERATE(false, true);
    CAPTURE(forbidden);
    std::vector<std::string> words = host.adopt_words();
    if (forbidden) words.insert(words.begin(), "--no-input");
    const Ran refused = host.run(words, forbidden);
    CAPTURE(refused.err);
    CHECK(refused.code == 10);
    CHECK(has(refused.err, "it asks for more than a key"));
    CHECK(has(refused.err, "nobody can be asked here"));
    CHECK(has(refused.err, "next: drawhitch adopt b1 ssh "));
    CHECK_FALSE(has(refused.err, "could not sign"));
    CHECK_FALSE(has(refused.err, "ssh-copy-id"));
    CHECK(host.count() == 0);
    // Who says which client it is keeps it, and is told what it cannot do.
    const Ran built_in = host.run(host.adopt_words({"--transport", "ssh"}));
    CAPTURE(built_in.err);
    CHECK(built_in.code == 10);
    CHECK(has(built_in.err, "it took " + host.server.client_key()));
    CHECK(has(built_in.err, "--transport openssh\n"));
    CHECK(host.count() == 0);
    if (forbidden) return;
    // A lease that asks, without anybody there: no verb waits or repeats itself.
    REQUIRE(host.run(host.adopt_words()).code == 0);
    support::run_tool({"sh", "-c", "rm " + (host.dir / "run/drawhitch") + "/*.sock"});
    const Ran later = host.run({"push", "b1"}, false);
    CAPTURE(later.err);
    CHECK(later.code == 10);
    CHECK(has(later.err, "nobody can be asked here; a connection that was opened from a terminal serves ten minutes"));
    CHECK(host.count() == 1);
}

TEST_CASE("a key with a passphrase is not taken for locked where a code is wanted beside it", "[asking]") {
    support::skip_unless_root("PAM asks for codes on behalf of root only");
    Asked host(key_and_code());
    support::run_tool({"ssh-keygen", "-q", "-p", "-P", "", "-N", "123456", "-f", host.server.client_key()});
    const Ran refused = host.run(host.adopt_words(), false);
    CAPTURE(refused.err);
    CHECK(refused.code == 10);
    CHECK(has(refused.err, "needs its passphrase"));
    // We ask on the terminal, and the ssh program through its own for the same passphrase and the code.
    const Ran adopted = host.run(host.adopt_words(), true, "Passphrase of");
    CAPTURE(adopted.out);
    CHECK(adopted.code == 0);
    CHECK_FALSE(has(adopted.out, "That was not it"));
    CHECK(host.count() == 2);
}

TEST_CASE("a host that takes Kerberos tickets only says which client can show one", "[asking]") {
    Asked host({.config = {"GSSAPIAuthentication yes", "PubkeyAuthentication no"}});
    const Ran refused = host.run(host.adopt_words());
    CAPTURE(refused.err);
    CHECK(refused.code == 10);
    CHECK(has(refused.err, "Kerberos"));
    CHECK(has(refused.err, "transport = \"openssh\""));
    CHECK(has(refused.err, "next: drawhitch adopt b1 ssh "));
    CHECK(has(refused.err, "--transport openssh\n"));
    CHECK_FALSE(has(refused.err, "ssh-copy-id"));
}
