#include "flow/host_trust.hpp"

#include <catch2/catch_test_macros.hpp>

#include "io/term/prompt.hpp"
#include "io/term/screen.hpp"
#include "support/test_op.hpp"

namespace drawhitch::flow {

namespace {

model::HostKey key(std::string type, std::string blob) {
    model::HostKey made;
    made.type = std::move(type);
    made.fingerprint = "SHA256:" + blob;
    made.blob = std::move(blob);
    return made;
}

// Nobody at the keyboard: whatever would be asked is refused.
struct Alone {
    support::TestOp op{};
    term::EchoGuard echo{};
    term::Prompt prompt{term::PromptOptions{.no_input = true}, echo};

    Status check(FirstUse& trust, const model::HostKey& shown) { return trust.check(op, "box:22", shown); }
};

const model::HostKey k_old = key("ssh-ed25519", "old");
const model::HostKey k_new = key("ssh-ed25519", "new");

}  // namespace

TEST_CASE("a pinned key needs nobody's word") {
    Alone alone;
    FirstUse trust({.pins = {k_old}}, alone.prompt);
    REQUIRE(alone.check(trust, k_old));
    CHECK_FALSE(trust.is_new());
    CHECK(trust.accepted()->blob == "old");
    CHECK(trust.known_types() == std::vector<std::string>{"ssh-ed25519"});
}

TEST_CASE("a fingerprint given counts for that key only") {
    Alone alone;
    FirstUse right({.accept = "SHA256:new"}, alone.prompt);
    REQUIRE(alone.check(right, k_new));
    CHECK(right.accepted()->source == "flag");
    CHECK(right.is_new());
    FirstUse wrong({.accept = "SHA256:other", .retry = "drawhitch adopt b1 ssh root@box"}, alone.prompt);
    const auto refused = alone.check(wrong, k_new);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::host_key);
    CHECK(refused.error().why.find("compare it with the one that your provider's console shows") != std::string::npos);
    CHECK(refused.error().next == "drawhitch adopt b1 ssh root@box");
    FirstUse any({.accept = "any"}, alone.prompt);
    CHECK(alone.check(any, k_new));
}

TEST_CASE("any stands for no key of a box that is known by another one") {
    Alone alone;
    const std::string retry = "drawhitch adopt b1 ssh root@box";
    const auto refuses = [&](HostTrust known) {
        known.accept = "any";
        known.retry = retry;
        FirstUse trust(std::move(known), alone.prompt);
        const auto refused = alone.check(trust, k_new);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::host_key);
        CHECK(refused.error().why.find("SHA256:new") != std::string::npos);
        CHECK(refused.error().why.find("SHA256:old") != std::string::npos);
        CHECK(refused.error().next == retry + " --accept-host-key SHA256:new");
        CHECK_FALSE(trust.accepted());
    };
    refuses({.pins = {k_old}});
    refuses({.pins = {k_old}, .known = {k_new}});
    refuses({.known = {k_old}});
    // A host that shows none of the keys it had is another host, whatever type it shows.
    refuses({.known = {key("ecdsa-sha2-nistp256", "old")}});
}

TEST_CASE("any and a fingerprint go on where nothing contradicts them") {
    Alone alone;
    FirstUse noted({.known = {key("ssh-rsa", "older"), k_new}, .accept = "any"}, alone.prompt);
    REQUIRE(alone.check(noted, k_new));
    CHECK(noted.accepted()->blob == "new");
    FirstUse pinned({.pins = {k_old}, .accept = "any"}, alone.prompt);
    REQUIRE(alone.check(pinned, k_old));
    CHECK_FALSE(pinned.is_new());
    FirstUse named({.pins = {k_old}, .known = {k_old}, .accept = "SHA256:new"}, alone.prompt);
    REQUIRE(alone.check(named, k_new));
    CHECK(named.is_new());
}

TEST_CASE("without anybody to ask a changed key is shown beside the one pinned") {
    Alone alone;
    FirstUse trust({.pins = {k_old}, .retry = "drawhitch adopt b1 ssh root@box"}, alone.prompt);
    const auto refused = alone.check(trust, k_new);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().why.find("SHA256:new") != std::string::npos);
    CHECK(refused.error().why.find("SHA256:old") != std::string::npos);
}

TEST_CASE("the user's known_hosts vouches for a box without pins, never against them") {
    Alone alone;
    FirstUse first({.known = {k_new}}, alone.prompt);
    REQUIRE(alone.check(first, k_new));
    CHECK(first.accepted()->source == "known_hosts");
    FirstUse again({.pins = {k_old}, .known = {k_new}}, alone.prompt);
    CHECK(alone.check(again, k_new).error().code == Code::host_key);
}

TEST_CASE("the same bytes under another type are another key") {
    Alone alone;
    FirstUse trust({.pins = {k_old}}, alone.prompt);
    CHECK_FALSE(alone.check(trust, key("ecdsa-sha2-nistp256", "old")));
}

TEST_CASE("without anybody to ask the error shows the key and the command to type") {
    Alone alone;
    FirstUse trust({.retry = "drawhitch adopt b1 ssh root@box"}, alone.prompt);
    const auto refused = alone.check(trust, k_new);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::host_key);
    CHECK(refused.error().why.find("SHA256:new") != std::string::npos);
    CHECK(refused.error().why.find("console shows before you type the next line") != std::string::npos);
    CHECK(refused.error().next == "drawhitch adopt b1 ssh root@box --accept-host-key SHA256:new");
    CHECK_FALSE(trust.accepted());
}

TEST_CASE("what was accepted once is not asked about again in the same adoption") {
    Alone alone;
    FirstUse trust({.accept = "SHA256:new"}, alone.prompt);
    REQUIRE(alone.check(trust, k_new));
    CHECK(alone.check(trust, k_new));
    CHECK_FALSE(alone.check(trust, k_old));
}

}  // namespace drawhitch::flow
