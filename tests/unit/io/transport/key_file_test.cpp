#include "io/transport/key_file.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "base/text.hpp"
#include "io/transport/endpoint.hpp"
#include "io/transport/known_hosts.hpp"
#include "support/private_sshd.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

namespace drawhitch::transport {

using support::TempDir;

TEST_CASE("base64 is decoded strictly") {
    CHECK(from_base64("aGVsbG8=") == "hello");
    CHECK(from_base64("aGVs\nbG8h\n") == "hello!");
    CHECK(from_base64("aA==") == "h");
    CHECK(from_base64("").empty());
    for (const char* wrong : {"a", "aGVsb", "aGVs*G8=", "aG=Vs", "\xFF"}) {
        CAPTURE(wrong);
        CHECK(from_base64(wrong).empty());
    }
    for (std::size_t size = 0; size < 70; ++size) {
        const std::string bytes(size, static_cast<char>(0x5A + size));
        CHECK(from_base64(base64(bytes)) == bytes);
    }
}

TEST_CASE("a key file tells whose key it holds and whether a passphrase guards it") {
    const char* type = GENERATE("ed25519", "ecdsa", "rsa");
    const bool locked = GENERATE(false, true);
    CAPTURE(type, locked);
    const TempDir dir;
    support::make_key(dir / "key", type, locked ? "secret words" : "");
    const auto key = load_key_file(dir / "key");
    REQUIRE(key);
    CHECK(key->encrypted == locked);
    CHECK(key->public_blob == public_blob(support::read_file(dir / "key.pub")));
    CHECK(key->type == key_type(key->public_blob));
}

TEST_CASE("a key cut off anywhere is refused, never half understood") {
    const TempDir dir;
    support::make_key(dir / "key", "ed25519");
    const std::string whole = support::read_file(dir / "key");
    for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
        CAPTURE(size);
        CHECK_FALSE(parse_key("key", whole.substr(0, size)));
    }
}

TEST_CASE("what is no private key is refused in words that help") {
    struct Row {
        const char* text;
        const char* says;
    };
    for (const Row& row : {Row{"", "no private key"}, Row{"hello\n", "no private key"},
                           Row{"PuTTY-User-Key-File-3: ssh-ed25519\n", "PuTTY"},
                           Row{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAA me\n", "public key"}}) {
        const auto refused = parse_key("key", row.text);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::key_unusable);
        CHECK(refused.error().message.find(row.says) != std::string::npos);
    }
}

TEST_CASE("only a file that nobody else can read is used") {
    const TempDir dir;
    support::make_key(dir / "key", "ed25519");
    const std::string text = support::read_file(dir / "key");
    for (const unsigned mode : {0600U, 0400U, 0700U}) {
        support::write_file(dir / "key", text, mode);
        CAPTURE(mode);
        CHECK(load_key_file(dir / "key"));
        support::write_file(dir / "key", text, 0600);
    }
    for (const unsigned mode : {0644U, 0640U, 0604U, 0666U, 0610U}) {
        support::write_file(dir / "key", text, mode);
        CAPTURE(mode);
        const auto refused = load_key_file(dir / "key");
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::key_permissions);
    }
    CHECK(load_key_file(dir.path()).error().code == Code::key_unusable);
}

TEST_CASE("known_hosts lines are read, markers and comments are not taken for keys") {
    const TempDir dir;
    support::make_key(dir / "host", "ed25519");
    const std::string line = support::read_file(dir / "host.pub");
    const auto keys =
        parse_known_hosts("# Host box found: line 3\nbox " + line + "@revoked box " + line + "@cert-authority * " +
                          line + "\nbox ssh-rsa\nbox ssh-rsa !!!!\n|1|abc=|def= " + line);
    REQUIRE(keys.size() == 2);
    CHECK(keys[0].type == "ssh-ed25519");
    CHECK(keys[0].fingerprint.starts_with("SHA256:"));
    CHECK(keys[1].blob == keys[0].blob);
}

TEST_CASE("the user's known_hosts is asked by name and port, hashed or not, and left as it is") {
    const TempDir dir;
    support::run_tool({"mkdir", "-p", dir / "home/.ssh"});
    support::make_key(dir / "host", "ed25519");
    const std::string key = support::read_file(dir / "host.pub");
    const std::string file = dir / "home/.ssh/known_hosts";
    support::write_file(file, "box " + key + "[box]:2222 " + key, 0600);
    if (GENERATE(false, true)) support::run_tool({"ssh-keygen", "-q", "-H", "-f", file});
    const std::string before = support::read_file(file);
    const support::TestOp op;
    CHECK(known_host_keys(op, dir / "home", "box", 22)->size() == 1);
    CHECK(known_host_keys(op, dir / "home", "box", 2222)->size() == 1);
    CHECK(known_host_keys(op, dir / "home", "box", 2223)->empty());
    CHECK(known_host_keys(op, dir / "home", "other", 22)->empty());
    CHECK(known_host_keys(op, dir / "nobody", "box", 22)->empty());
    CHECK(support::read_file(file) == before);
}

TEST_CASE("a fingerprint is what ssh-keygen shows") {
    const TempDir dir;
    support::make_key(dir / "key", "ecdsa");
    support::run_tool(
        {"/bin/sh", "-c", "ssh-keygen -lf " + (dir / "key.pub") + " | cut -d' ' -f2 > " + (dir / "shown")});
    CHECK(fingerprint_of(public_blob(support::read_file(dir / "key.pub"))) + "\n" == support::read_file(dir / "shown"));
}

namespace {

class Counting final : public SecretPrompt {
  public:
    Result<std::string> ask(const Op&, const SecretQuestion& question) override {
        ++asked;
        return question.what + " " + std::to_string(asked);
    }
    int asked{0};
};

}  // namespace

TEST_CASE("a secret is asked once, and anew when it was wrong") {
    const support::TestOp op;
    Counting user;
    OncePrompt once(user);
    const SecretQuestion key{SecretKind::passphrase, "key", 1};
    CHECK(*once.ask(op, key) == "key 1");
    CHECK(*once.ask(op, key) == "key 1");
    CHECK(*once.ask(op, {SecretKind::passphrase, "key", 2}) == "key 2");
    CHECK(*once.ask(op, key) == "key 2");
    CHECK(*once.ask(op, {SecretKind::passphrase, "other", 1}) == "other 3");
    CHECK(*once.ask(op, {SecretKind::password, "key", 1}) == "key 4");
    CHECK(user.asked == 4);
}

TEST_CASE("addresses are shown so that the port cannot be mistaken") {
    SshTarget target;
    target.user = "root";
    target.host = "203.0.113.7";
    target.port = 2222;
    CHECK(target.shown() == "root@203.0.113.7:2222");
    target.host = "2001:db8::1";
    CHECK(target.shown_host() == "[2001:db8::1]:2222");
    target.host = "evil\x1B[2J";
    CHECK(target.shown().find('\x1B') == std::string::npos);
}

}  // namespace drawhitch::transport
