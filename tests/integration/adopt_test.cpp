// adopt, doctor and exec over a real sshd, with a laptop of their own.
#include "flow/adopt.hpp"

#include <catch2/catch_test_macros.hpp>

#include "flow/doctor.hpp"
#include "flow/exec.hpp"
#include "io/disk/profile_store.hpp"
#include "io/ledger/ledger.hpp"
#include "io/term/prompt.hpp"
#include "io/term/screen.hpp"
#include "io/transport/script.hpp"
#include "support/paths.hpp"
#include "support/private_sshd.hpp"
#include "support/test_box.hpp"
#include "support/test_op.hpp"

namespace drawhitch {

using flow::AdoptRequest;
using support::PrivateSshd;
using support::TempDir;
using support::TestOp;

namespace {

// A laptop with nothing on it but what the test puts there, and nobody at the keyboard.
class Laptop {
  public:
    explicit Laptop(const Op& op)
        : prompt_(term::PromptOptions{.no_input = true}, echo_), secrets_(prompt_), profiles_(dir_ / "config") {
        support::run_tool({"mkdir", "-p", dir_ / "home/.ssh", dir_ / "project", dir_ / "config"});
        laptop_ = flow::Laptop{dir_ / "project", dir_ / "home", dir_ / "state", dir_ / "config",
                               [](const std::string&) { return std::optional<std::string>{}; }};
        project_.directory = dir_ / "project";
        project_.values.name = "demo";
        auto opened = ledger::Ledger::open(op, dir_ / "state");
        REQUIRE(opened);
        ledger_.emplace(std::move(*opened));
        connector_.emplace(*ledger_, laptop_, connection_, secrets_);
        deps_.emplace(
            flow::Deps{*ledger_, *connector_, support::built_helper(), prompt_, laptop_, project_, settings_, false});
    }

    Result<flow::AdoptReport> adopt(const Op& op, const AdoptRequest& request) {
        return flow::adopt(op, *deps_, *connector_, profiles_, request);
    }
    flow::Deps& deps() { return *deps_; }
    flow::LeaseConnector& connector() { return *connector_; }
    ledger::Ledger& ledger() { return *ledger_; }
    [[nodiscard]] std::string path(std::string_view name) const { return dir_ / name; }

  private:
    TempDir dir_{};
    term::EchoGuard echo_{};
    term::Prompt prompt_;
    flow::TerminalSecrets secrets_;
    disk::ProfileStore profiles_;
    flow::Laptop laptop_{};
    flow::ProjectContext project_{};
    model::Settings settings_{};
    model::Connection connection_{};
    std::optional<ledger::Ledger> ledger_{};
    std::optional<flow::LeaseConnector> connector_{};
    std::optional<flow::Deps> deps_{};
};

AdoptRequest request_for(const PrivateSshd& server, const std::string& name = "b1") {
    AdoptRequest request;
    request.name = name;
    request.line = {
        "ssh", "-p", std::to_string(server.port()), "-i", server.client_key(), server.user() + "@127.0.0.1"};
    request.accept_host_key = server.host_keys().front().fingerprint;
    return request;
}

std::string fingerprint_of(const PrivateSshd& server) {
    return server.host_keys().front().fingerprint;
}

}  // namespace

TEST_CASE("adopting a box begins a lease with its key pinned and its place known", "[adopt]") {
    const TestOp op;
    PrivateSshd server;
    Laptop laptop(op);
    const auto report = laptop.adopt(op, request_for(server));
    CAPTURE(report ? std::string{} : report.error().message + ": " + report.error().why);
    REQUIRE(report);
    CHECK_FALSE(report->updated);
    CHECK(report->lease.root == server.home() + "/drawhitch/demo");
    CHECK(report->lease.profile == "generic-ssh");
    CHECK_FALSE(report->lease.root_nonce.empty());
    const auto keys = laptop.ledger().host_keys(report->lease.id);
    REQUIRE(keys);
    REQUIRE(keys->size() == 1);
    CHECK(keys->front().fingerprint == fingerprint_of(server));
    CHECK(keys->front().source == "flag");
    // A project that had no file has one now, naming the box.
    CHECK(support::read_file(laptop.path("project/drawhitch.toml")).find("\nbox = \"b1\"\n") != std::string::npos);

    std::string out;
    const auto exit = flow::exec(op, laptop.deps(), report->lease, {.command = {"printf", "%s", "it's $HOME"}},
                                 [&](transport::Stream, std::string_view piece) {
                                     out.append(piece);
                                     return ok();
                                 });
    REQUIRE(exit);
    CHECK(exit->clean());
    CHECK(out == "it's $HOME");
}

TEST_CASE("a profile is chosen by what the box's environment has, unless one was said", "[adopt]") {
    const TestOp op;
    PrivateSshd server;
    Laptop laptop(op);
    support::run_tool({"mkdir", "-p", laptop.path("config/profiles")});
    std::string text = support::read_file(support::source_dir() + "/profiles/generic-ssh.toml");
    const std::string id = "id = \"generic-ssh\"";
    REQUIRE(text.find(id) != std::string::npos);
    text.replace(text.find(id), id.size(), "id = \"by-env\"");
    support::write_file(laptop.path("config/profiles/by-env.toml"),
                        text + "\n[match]\nenv = [\"NOT_SET_ANYWHERE\", \"SSH_CONNECTION\"]\n");
    AdoptRequest request = request_for(server);
    request.profile = "generic-ssh";
    const auto said = laptop.adopt(op, request);
    REQUIRE(said);
    CHECK(said->lease.profile == "generic-ssh");
    CHECK(said->why_profile.empty());
    request = request_for(server, "b2");
    request.project = "other";
    const auto report = laptop.adopt(op, request);
    CAPTURE(report ? std::string{} : report.error().message + ": " + report.error().why);
    REQUIRE(report);
    CHECK(report->lease.profile == "by-env");
    CHECK(report->lease.profile_toml.find("by-env") != std::string::npos);
    CHECK(report->why_profile == "its environment has SSH_CONNECTION");
}

TEST_CASE("a host key that nobody vouches for is not accepted, and nobody logs in", "[adopt]") {
    const TestOp op;
    PrivateSshd server;
    Laptop laptop(op);
    AdoptRequest request = request_for(server);
    request.profile = "generic-ssh";
    request.price_hour = 2.5;
    // The whole command, not a part of it.
    std::string typed = "drawhitch adopt b1 ssh -p " + std::to_string(server.port()) + " -i " + server.client_key() +
                        " " + server.user() + "@127.0.0.1 --profile generic-ssh --price-hour 2.5";
    SECTION("nobody can be asked") {
        request.accept_host_key.clear();
        typed += " --accept-host-key " + fingerprint_of(server);
    }
    SECTION("another fingerprint was given") {
        request.accept_host_key = "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    }
    const auto refused = laptop.adopt(op, request);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::host_key);
    CHECK(refused.error().why.find(fingerprint_of(server)) != std::string::npos);
    CHECK(refused.error().why.find("console") != std::string::npos);
    CHECK(refused.error().next == typed);
    CHECK(server.log().find("publickey") == std::string::npos);
    CHECK(laptop.ledger().leases(ledger::Which::all)->empty());
}

TEST_CASE("a key that is not the pinned one stops every command with the line that adopts the box again", "[adopt]") {
    const TestOp op;
    PrivateSshd server;
    PrivateSshd other({.host_key_types = {"ecdsa"}});
    Laptop laptop(op);
    AdoptRequest request = request_for(server);
    const auto report = laptop.adopt(op, request);
    REQUIRE(report);
    // "any" would send what follows, a password even, to whatever answers there now.
    request.line = request_for(other).line;
    request.accept_host_key = "any";
    const auto refused = laptop.adopt(op, request);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::host_key);
    CHECK(refused.error().next.ends_with(" --accept-host-key " + fingerprint_of(other)));
    CHECK(laptop.ledger().host_keys(report->lease.id)->front().fingerprint == fingerprint_of(server));

    model::Lease moved = report->lease;
    moved.endpoint.port = other.port();
    moved.endpoint.identity_file = other.client_key();
    for (const auto kind : {model::TransportKind::ssh, model::TransportKind::openssh}) {
        CAPTURE(model::name_of(kind));
        moved.endpoint.transport = kind;
        const auto exit = flow::exec(op, laptop.deps(), moved, {.command = {"true"}},
                                     [](transport::Stream, std::string_view) { return ok(); });
        REQUIRE_FALSE(exit);
        CHECK(exit.error().code == Code::host_key);
        CHECK(exit.error().next == "drawhitch adopt b1 ssh -p " + std::to_string(other.port()) + " -i " +
                                       other.client_key() + " " + other.user() + "@127.0.0.1");
    }
    CHECK(other.log().find("publickey") == std::string::npos);
}

TEST_CASE("a key in the user's own known_hosts is accepted, with its source", "[adopt]") {
    const TestOp op;
    PrivateSshd server;
    Laptop laptop(op);
    AdoptRequest request = request_for(server);
    request.accept_host_key.clear();
    const std::string line = "[127.0.0.1]:" + std::to_string(server.port()) + " " +
                             support::read_file(server.dir() / "host_key_ed25519.pub");
    support::write_file(laptop.path("home/.ssh/known_hosts"), line, 0600);
    support::run_tool({"ssh-keygen", "-q", "-H", "-f", laptop.path("home/.ssh/known_hosts")});
    const auto report = laptop.adopt(op, request);
    CAPTURE(report ? std::string{} : report.error().message + ": " + report.error().why);
    REQUIRE(report);
    CHECK(report->host_key->source == "known_hosts");
}

TEST_CASE("a dry run keeps nothing", "[adopt]") {
    const TestOp op;
    PrivateSshd server;
    Laptop laptop(op);
    laptop.deps().dry_run = true;
    REQUIRE(laptop.adopt(op, request_for(server)));
    CHECK(laptop.ledger().leases(ledger::Which::all)->empty());
    CHECK_THROWS(support::read_file(laptop.path("project/drawhitch.toml")));
}

TEST_CASE("adopting again moves the lease to the new endpoint", "[adopt]") {
    const TestOp op;
    PrivateSshd server;
    Laptop laptop(op);
    const auto first = laptop.adopt(op, request_for(server));
    REQUIRE(first);
    SECTION("with the same key and no questions, after the port changed") {
        // The same machine behind another port: a second server with the first one's key.
        PrivateSshd moved;
        AdoptRequest request = request_for(moved);
        request.accept_host_key.clear();
        const auto again = laptop.adopt(op, request);
        REQUIRE(again);
        CHECK(again->updated);
        CHECK_FALSE(again->new_key);
        CHECK(again->lease.id == first->lease.id);
        CHECK(again->lease.endpoint.port == moved.port());
    }
    SECTION("with a new key only when it is vouched for; the old one is kept in the history") {
        PrivateSshd rebuilt({.host_key_types = {"ecdsa"}});
        AdoptRequest request = request_for(rebuilt);
        request.accept_host_key.clear();
        const auto refused = laptop.adopt(op, request);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::host_key);
        request.accept_host_key = fingerprint_of(rebuilt);
        const auto again = laptop.adopt(op, request);
        REQUIRE(again);
        CHECK(again->new_key);
        CHECK(laptop.ledger().host_keys(first->lease.id)->size() == 1);
        CHECK(laptop.ledger().host_key_history(first->lease.id)->size() == 2);
    }
}

TEST_CASE("a box that was adopted before is met again, from here and from another laptop", "[adopt]") {
    TestOp op;
    PrivateSshd server{};
    Laptop first{op};
    const auto report = first.adopt(op, request_for(server));
    REQUIRE(report);
    const std::string mark = report->lease.root_nonce;
    support::run_tool({"mkdir", "-p", report->lease.root});
    support::write_file(report->lease.root + "/lease-nonce", mark + "\n");
    REQUIRE(first.ledger().close_lease(report->lease.id, "ended"));
    const auto again = first.adopt(op, request_for(server));
    REQUIRE(again);
    CHECK(again->lease.id != report->lease.id);
    CHECK(again->lease.root_nonce == mark);
    Laptop second{op};
    const auto elsewhere = second.adopt(op, request_for(server, "same-box"));
    REQUIRE(elsewhere);
    CHECK(elsewhere->lease.root_nonce == mark);
    // What is no mark is not taken for one.
    support::write_file(report->lease.root + "/lease-nonce", "$(reboot)\n");
    Laptop third{op};
    const auto fresh = third.adopt(op, request_for(server));
    REQUIRE(fresh);
    CHECK(fresh->lease.root_nonce.size() == 32);
    CHECK(fresh->lease.root_nonce != mark);
}

TEST_CASE("a name whose runs lie on another machine is not given away", "[adopt]") {
    const TestOp op;
    PrivateSshd server;
    Laptop laptop(op);
    const auto first = laptop.adopt(op, request_for(server));
    REQUIRE(first);
    model::RunSpec spec;
    spec.name = "r1";
    spec.command = {"true"};
    REQUIRE(laptop.ledger().claim_run(first->lease.id, spec));
    PrivateSshd other;
    SECTION("without the lease's mark under the root") {
        const auto refused = laptop.adopt(op, request_for(other));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Code::exists);
        CHECK(laptop.ledger().lease(first->lease.id)->endpoint.port == server.port());
    }
    SECTION("with the mark it is the same machine") {
        support::run_tool({"mkdir", "-p", first->lease.root});
        support::write_file(first->lease.root + "/lease-nonce", first->lease.root_nonce + "\n");
        CHECK(laptop.adopt(op, request_for(other)));
    }
}

TEST_CASE("a password installs the key once, and is never needed again", "[adopt]") {
    const TestOp op;
    PrivateSshd server({.dropbear = true, .password = "open sesame"});
    Laptop laptop(op);
    support::write_file(server.home() + "/.ssh/authorized_keys", "# no end of line", 0600);
    AdoptRequest request = request_for(server);
    REQUIRE_FALSE(laptop.adopt(op, request));
    request.password = "open sesame";
    const auto report = laptop.adopt(op, request);
    CAPTURE(report ? std::string{} : report.error().message + ": " + report.error().why, server.log());
    REQUIRE(report);
    request.password.reset();
    REQUIRE(laptop.adopt(op, request));
    CHECK(support::read_file(server.home() + "/.ssh/authorized_keys").starts_with("# no end of line\nssh-ed25519 "));
}

TEST_CASE("an alias of the user's configuration and this machine can be adopted, too", "[adopt]") {
    const TestOp op;
    Laptop laptop(op);
    AdoptRequest request;
    request.name = "me";
    request.line = {"local"};
    const auto report = laptop.adopt(op, request);
    REQUIRE(report);
    CHECK(report->lease.endpoint.transport == model::TransportKind::local);
    CHECK(report->lease.profile == "local");
    CHECK_FALSE(report->host_key);
}

TEST_CASE("a directory that cannot be written and a wrong name are told before anything is kept", "[adopt]") {
    const TestOp op;
    PrivateSshd server;
    Laptop laptop(op);
    AdoptRequest request = request_for(server);
    SECTION("data directory") {
        request.data_dir = "/proc";
        CHECK(laptop.adopt(op, request).error().code == Code::permission);
    }
    SECTION("box name") {
        request.name = "../b1";
        CHECK(laptop.adopt(op, request).error().code == Code::usage);
    }
    SECTION("project name") {
        request.project = "a/b";
        CHECK(laptop.adopt(op, request).error().code == Code::usage);
    }
    SECTION("profile") {
        request.profile = "no-such-platform";
        CHECK(laptop.adopt(op, request).error().code == Code::not_found);
    }
    CHECK(laptop.ledger().leases(ledger::Which::all)->empty());
}

TEST_CASE("doctor finds a sound box sound, and names what stands in the way of another", "[doctor]") {
    const TestOp op;
    PrivateSshd server;
    Laptop laptop(op);
    const auto adopted = laptop.adopt(op, request_for(server));
    REQUIRE(adopted);
    const auto has = [](const flow::DoctorReport& report, std::string_view rule, judge::Grade grade) {
        for (const flow::Examined& examined : report.findings) {
            if (examined.finding.rule == rule && examined.finding.grade == grade) return true;
        }
        return false;
    };
    SECTION("sound") {
        const auto report = flow::doctor(op, laptop.deps(), laptop.connector(), adopted->lease);
        REQUIRE(report);
        CHECK_FALSE(report->failed);
        for (const char* rule : {"login", "helper", "shell", "system", "clock", "data"}) {
            CAPTURE(rule);
            CHECK(has(*report, rule, judge::Grade::pass));
        }
        CHECK(has(*report, "root", judge::Grade::info));
    }
    SECTION("unreachable") {
        model::Lease lease = adopted->lease;
        lease.endpoint.port = 1;
        const auto report = flow::doctor(op, laptop.deps(), laptop.connector(), lease);
        REQUIRE(report);
        REQUIRE(report->failed);
        CHECK(report->failed->code == Code::refused);
        CHECK(has(*report, "E-REFUSED", judge::Grade::fail));
    }
    SECTION("a key that others may read") {
        support::run_tool({"chmod", "0644", server.client_key()});
        const auto report = flow::doctor(op, laptop.deps(), laptop.connector(), adopted->lease);
        REQUIRE(report);
        REQUIRE(report->failed);
        CHECK(report->failed->code == Code::key_permissions);
    }
    SECTION("without a box only this machine is looked at") {
        const auto report = flow::doctor(op, laptop.deps(), laptop.connector(), std::nullopt);
        REQUIRE(report);
        CHECK_FALSE(report->failed);
        CHECK(has(*report, "state", judge::Grade::pass));
    }
}

TEST_CASE("a deaf relay is told to the user in words that help", "[adopt]") {
    const TestOp op;
    PrivateSshd server({.config = {"ForceCommand printf 'root@pod:/# '; exec cat"}});
    Laptop laptop(op);
    const auto refused = laptop.adopt(op, request_for(server));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::shell_missing);
}

}  // namespace drawhitch
