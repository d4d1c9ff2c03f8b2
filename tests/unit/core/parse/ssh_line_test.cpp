#include "core/parse/ssh_line.hpp"

#include <catch2/catch_test_macros.hpp>

namespace drawhitch::parse {

TEST_CASE("the lines of real consoles are taken as they are") {
    struct Row {
        std::vector<std::string> words;
        const char* user;
        const char* host;
        int port;  // 0: not said
        const char* key;
    };
    const Row rows[] = {
        {{"ssh", "root@203.0.113.7", "-p", "40022", "-i", "~/.ssh/id_ed25519"},
         "root",
         "203.0.113.7",
         40022,
         "~/.ssh/id_ed25519"},
        {{"ssh", "-p", "12345", "root@ssh5.vast.ai", "-L", "8080:localhost:8080"}, "root", "ssh5.vast.ai", 12345, ""},
        {{"ssh -p 12345 root@ssh5.vast.ai -L 8080:localhost:8080"}, "root", "ssh5.vast.ai", 12345, ""},
        {{"ssh", "-i", "key.pem", "ubuntu@ec2-203-0-113-7.example"}, "ubuntu", "ec2-203-0-113-7.example", 0, "key.pem"},
        {{"abc-6441@ssh.runpod.io", "-i", "k"}, "abc-6441", "ssh.runpod.io", 0, "k"},
        {{"exp1"}, "", "exp1", 0, ""},
        {{"ssh", "-p2222", "-l", "me", "box"}, "me", "box", 2222, ""},
        {{"ssh", "-vAp", "22", "-o", "StrictHostKeyChecking=no", "me@box"}, "me", "box", 22, ""},
        {{"ssh://me@box:2222"}, "me", "box", 2222, ""},
        {{"ssh://me@[2001:db8::1]:2222/"}, "me", "2001:db8::1", 2222, ""},
        {{"me@2001:db8::1"}, "me", "2001:db8::1", 0, ""},
        {{"me@corp@box"}, "me@corp", "box", 0, ""},
    };
    for (const Row& row : rows) {
        const auto line = ssh_line(row.words);
        CAPTURE(row.words);
        REQUIRE(line);
        CHECK(line->user == row.user);
        CHECK(line->destination == row.host);
        CHECK(line->port.value_or(0) == row.port);
        CHECK(line->identity_file == row.key);
    }
}

TEST_CASE("what has no meaning for drawhitch is named, not dropped in silence") {
    const auto line = ssh_line({"ssh", "-A", "-L", "1:b:2", "me@box"});
    REQUIRE(line);
    CHECK(line->passed_over == std::vector<std::string>{"-A", "-L 1:b:2"});
}

TEST_CASE("lines that cannot be meant are refused") {
    for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                  {"ssh"},
                                                  {"ssh", "-p"},
                                                  {"ssh", "-p", "x", "box"},
                                                  {"ssh", "-p", "0", "box"},
                                                  {"ssh", "-p", "70000", "box"},
                                                  {"ssh", "box", "rm", "-r"},
                                                  {"ssh", "-Z", "box"},
                                                  {"ssh", "-J", "a", "box"},
                                                  {"me@"},
                                                  {"[::1"},
                                                  {"root@-oProxyCommand=x"},
                                                  {"ssh://-x"},
                                                  {"-oProxyCommand=x@box"},
                                                  {"ssh", "-l", "-x", "box"},
                                                  {"ssh", "-"}}) {
        CAPTURE(words);
        const auto refused = ssh_line(words);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::usage);
    }
}

TEST_CASE("a port behind a colon is taken, and an address of many colons is left alone") {
    const auto line = ssh_line({"root@203.0.113.7:40022"});
    REQUIRE(line);
    CHECK(line->destination == "203.0.113.7");
    CHECK(line->user == "root");
    CHECK(line->port == 40022);
    const auto bare = ssh_line({"root@2001:db8::7"});
    REQUIRE(bare);
    CHECK(bare->destination == "2001:db8::7");
    CHECK_FALSE(ssh_line({"root@host:/data"}));
    CHECK_FALSE(ssh_line({"root@host:0"}));
}

}  // namespace drawhitch::parse
