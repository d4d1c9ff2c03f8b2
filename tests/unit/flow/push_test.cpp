#include "flow/push.hpp"

#include <algorithm>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>

#include "base/text.hpp"
#include "flow/box.hpp"
#include "io/ledger/lock.hpp"
#include "run/faulty_connector.hpp"
#include "support/eventful_box.hpp"
#include "support/local_deps.hpp"
#include "support/tampering_transport.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;

namespace {

struct Bench {
    support::TestOp op{};
    support::LocalDeps local{op};
    model::Lease lease{local.adopt("b1")};

    Bench() {
        put("train.py", "print(1)\n");
        put("lib/model.py", "class M: pass\n");
        put("run.sh", "#!/bin/sh\necho\n", 0755);
    }
    void put(const std::string& path, std::string_view content, unsigned mode = 0644) const {
        const std::string full = local.project_directory() + "/" + path;
        for (std::size_t slash = full.find('/', 1); slash != std::string::npos; slash = full.find('/', slash + 1))
            ::mkdir(full.substr(0, slash).c_str(), 0755);
        ::unlink(full.c_str());
        support::write_file(full, content, mode);
    }
    Result<flow::PushReport> try_push(flow::PushOptions options = {}) {
        options.box = "b1";
        return flow::push(op, local.deps(), options);
    }
    flow::PushReport push(const flow::PushOptions& options = {}) {
        auto report = try_push(options);
        if (!report) FAIL(report.error().message << " " << report.error().why);
        return std::move(report).value();
    }
    [[nodiscard]] std::string release(const flow::PushReport& report, const std::string& path) const {
        return local.root() + "/releases/" + report.hash + "/" + path;
    }
};

std::vector<std::string> names_in(const std::string& path) {
    std::vector<std::string> names;
    DIR* stream = ::opendir(path.c_str());
    if (stream == nullptr) return names;
    while (const dirent* entry = ::readdir(stream))
        if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    ::closedir(stream);
    return names;
}

struct stat stat_of(const std::string& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) FAIL("nothing at " << path);
    return found;
}

}  // namespace

TEST_CASE("a push makes a release of its own name and puts it in force") {
    Bench bench;
    bench.put("empty.txt", "");
    REQUIRE(::mkdir((bench.local.project_directory() + "/hollow").c_str(), 0755) == 0);
    REQUIRE(::symlink("train.py", (bench.local.project_directory() + "/main.py").c_str()) == 0);
    const auto report = bench.push();
    CHECK(!report.up_to_date);
    CHECK(report.sent_files == 4);
    CHECK(support::read_file(bench.release(report, "lib/model.py")) == "class M: pass\n");
    CHECK(support::read_file(bench.local.root() + "/current") == report.hash + "\n");
    CHECK(support::read_file(bench.local.root() + "/latest/main.py") == "print(1)\n");
    CHECK((stat_of(bench.release(report, "run.sh")).st_mode & 0111U) != 0);
    CHECK((stat_of(bench.release(report, "train.py")).st_mode & 0111U) == 0);
    CHECK(S_ISDIR(stat_of(bench.release(report, "hollow")).st_mode));
    CHECK(names_in(bench.local.root() + "/releases") == std::vector<std::string>{report.hash});
}

TEST_CASE("a push with nothing to do sends nothing") {
    Bench bench;
    const auto first = bench.push();
    const auto second = bench.push();
    CHECK(second.up_to_date);
    CHECK(second.hash == first.hash);
    CHECK(second.sent_bytes == 0);
    CHECK(second.wire.connections == 1);
}

TEST_CASE("an edit makes a new release out of links, and leaves every byte of the old one") {
    Bench bench;
    bench.put("data.txt", std::string(700'000, 'd'));
    const auto first = bench.push();
    bench.put("train.py", "print(2)\n");
    const auto second = bench.push();
    CHECK(second.hash != first.hash);
    CHECK(second.sent_files == 1);
    CHECK(second.linked_files == 3);
    CHECK(support::read_file(bench.release(first, "train.py")) == "print(1)\n");
    CHECK(support::read_file(bench.release(second, "train.py")) == "print(2)\n");
    CHECK(stat_of(bench.release(first, "data.txt")).st_ino == stat_of(bench.release(second, "data.txt")).st_ino);
    // Back again: the old release is found, nothing is sent.
    bench.put("train.py", "print(1)\n");
    const auto third = bench.push();
    CHECK(third.hash == first.hash);
    CHECK(third.sent_files == 0);
    CHECK(support::read_file(bench.local.root() + "/current") == first.hash + "\n");
}

TEST_CASE("a release that was changed on the box is found out and built anew") {
    Bench bench;
    const auto first = bench.push();
    ::unlink(bench.release(first, "train.py").c_str());
    support::write_file(bench.release(first, "train.py"), "print(6)\n");
    const auto second = bench.push();
    CHECK(!second.up_to_date);
    CHECK(second.hash == first.hash);
    CHECK(support::read_file(bench.release(second, "train.py")) == "print(1)\n");
}

TEST_CASE("a tree that another hand changes between its last byte and its switch is not put in force") {
    Bench bench;
    const auto first = bench.push();
    const std::string content(700'000, 'd');  // too large for a bundle: its commit is the last that is written
    bench.put("data.txt", content);
    const std::string staged = bench.local.root() + "/releases/.staging/data.txt";
    bool was_whole = false;
    support::EventfulBox box(proto::MessageType::committed, 1, [&] {
        was_whole = ::access(staged.c_str(), F_OK) == 0 && support::read_file(staged) == content;
        ::unlink(staged.c_str());
        support::write_file(staged, std::string(700'000, 'e'));
    });
    support::EventfulConnector connector(box);
    flow::Deps& deps = bench.local.deps();
    flow::Deps mine{deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
    flow::PushOptions options{};
    options.box = "b1";
    const auto refused = flow::push(bench.op, mine, options);
    REQUIRE(box.happened());
    REQUIRE(was_whole);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::integrity);
    CHECK(support::read_file(bench.local.root() + "/current") == first.hash + "\n");
    CHECK(names_in(bench.local.root() + "/releases") == std::vector<std::string>{first.hash});
    // The next push finds the stranger, and sends what belongs there.
    const auto second = bench.push();
    CHECK(support::read_file(bench.release(second, "data.txt")) == content);
}

TEST_CASE("what an interrupted push left is used, and strangers in it are removed") {
    Bench bench;
    const auto first = bench.push();
    bench.put("big.bin", std::string(2'000'000, 'b'));
    const std::string staging = bench.local.root() + "/releases/.staging";
    REQUIRE(::mkdir(staging.c_str(), 0755) == 0);
    support::write_file(staging + "/big.bin", std::string(2'000'000, 'b'));
    support::write_file(staging + "/train.py", "wrong");
    support::write_file(staging + "/stranger", "s");
    const auto second = bench.push();
    CHECK(second.sent_files == 0);
    CHECK(second.hash != first.hash);
    CHECK(::access(bench.release(second, "stranger").c_str(), F_OK) != 0);
    CHECK(support::read_file(bench.release(second, "train.py")) == "print(1)\n");
}

TEST_CASE("secrets are held back and named, ignored files stay, and a plan sends nothing") {
    Bench bench;
    bench.put(".env.production", "TOKEN=x");
    bench.put("keys/id_ed25519", "-----BEGIN OPENSSH PRIVATE KEY-----\n");
    bench.put("settings.ini", "api = 1\nkey = -----BEGIN RSA PRIVATE KEY-----\n" + std::string(16, 'M') +
                                  "IIEpAIBAAKCAQEA3Tz2mr7SZiAMfQyuvBjM9OiZ1BjP5CE\n");
    bench.put(".gitignore", "*.tmp\nout/\n");
    bench.put("x.tmp", "t");
    bench.put("out/model.pt", "m");
    bench.put(".drawhitchignore", "notes.md\n");
    bench.put("notes.md", "n");
    bench.local.deps().dry_run = true;
    const auto plan = bench.push();
    CHECK(plan.planned);
    CHECK(plan.wire.connections == 0);
    CHECK(::access(bench.local.root().c_str(), F_OK) != 0);
    std::vector<std::string> held;
    for (const auto& file : plan.tree.held_back)
        held.push_back(file.path);
    CHECK(held == std::vector<std::string>{".env.production", "keys/id_ed25519", "settings.ini"});
    bench.local.deps().dry_run = false;
    const auto report = bench.push();
    CHECK(report.hash == plan.hash);
    for (const char* path : {".env.production", "keys/id_ed25519", "settings.ini", "x.tmp", "out", "notes.md"})
        CHECK(::access(bench.release(report, path).c_str(), F_OK) != 0);
}

TEST_CASE("a directory that the demo made is not pushed with the project around it, and a demo's project is") {
    Bench bench;
    bench.put("sub/demo/.drawhitch-demo", "");
    bench.put("sub/demo/.drawhitchignore", "!*\n");
    bench.put("sub/demo/state/ledger.db", "x");
    bench.put("sub/own.py", "x");
    auto report = bench.push();
    CHECK(::access(bench.release(report, "sub/demo").c_str(), F_OK) != 0);
    CHECK(::access(bench.release(report, "sub/own.py").c_str(), F_OK) == 0);
    REQUIRE(report.tree.remarks.size() == 1);
    CHECK(report.tree.remarks[0].path == "sub/demo");
    bench.put(".drawhitch-demo", "");
    CHECK(::access(bench.release(bench.push(), "train.py").c_str(), F_OK) == 0);
}

TEST_CASE("what was pulled is not pushed back, wherever the project lets it land") {
    Bench bench;
    bench.local.project().pull.dir = "my [results]";
    bench.put("my [results]/b1/r1/model.pt", "m");
    bench.put("pulls/b1/r1/model.pt", "m");
    bench.put("my results/x", "x");
    const auto report = bench.push();
    CHECK(::access(bench.release(report, "my [results]").c_str(), F_OK) != 0);
    CHECK(::access(bench.release(report, "pulls").c_str(), F_OK) != 0);
    CHECK(::access(bench.release(report, "my results/x").c_str(), F_OK) == 0);
}

TEST_CASE("line ends, byte order marks and execute bits are fixed in the release alone") {
    Bench bench;
    bench.put("bad.sh", "#!/bin/sh\r\necho\r\n");
    auto report = bench.push();
    REQUIRE(report.tree.flawed.size() == 1);
    CHECK(!report.tree.flawed[0].fixed);
    CHECK(support::read_file(bench.release(report, "bad.sh")) == "#!/bin/sh\r\necho\r\n");
    report = bench.push({.box = {}, .fix_eol = true});
    CHECK(report.tree.flawed[0].fixed);
    CHECK(support::read_file(bench.release(report, "bad.sh")) == "#!/bin/sh\necho\n");
    CHECK((stat_of(bench.release(report, "bad.sh")).st_mode & 0111U) != 0);
    CHECK(support::read_file(bench.local.project_directory() + "/bad.sh") == "#!/bin/sh\r\necho\r\n");
}

TEST_CASE("a push on the way to something else repairs what the last one did, and a plain push nothing") {
    Bench bench;
    bench.put("bad.sh", "#!/bin/sh\r\necho\r\n");
    const auto fixed = bench.push({.box = {}, .fix_eol = true});
    CHECK_FALSE(fixed.fixed_as_before);
    const auto again = bench.push({.box = {}, .as_before = true});
    CHECK(again.up_to_date);
    CHECK(again.hash == fixed.hash);
    CHECK(again.fixed_as_before);
    const auto plain = bench.push();
    CHECK(plain.hash != fixed.hash);
    CHECK(bench.push({.box = {}, .as_before = true}).hash == plain.hash);
}

TEST_CASE("a push that is larger than wanted asks, and nobody to ask is a refusal") {
    Bench bench;
    bench.put("data.bin", std::string(5000, 'x'));
    const auto refused = bench.try_push({.box = {}, .max_size = 4000});
    REQUIRE(!refused);
    CHECK(refused.error().code == Code::usage);
    CHECK(::access(bench.local.root().c_str(), F_OK) != 0);
    CHECK(bench.try_push({.box = {}, .max_size = 10'000}));
}

TEST_CASE("pipes and outside links are left out and named") {
    Bench bench;
    REQUIRE(::mkfifo((bench.local.project_directory() + "/pipe").c_str(), 0600) == 0);
    REQUIRE(::symlink("/etc/hostname", (bench.local.project_directory() + "/host").c_str()) == 0);
    auto report = bench.push();
    CHECK(report.tree.left_out.size() == 2);
    bench.local.project().push.outside_links = model::OutsideLinks::follow;
    report = bench.push();
    CHECK(support::read_file(bench.release(report, "host")) == support::read_file("/etc/hostname"));
    bench.local.project().push.special_files = model::SpecialFiles::error;
    CHECK(!bench.try_push());
}

TEST_CASE("a followed directory brings its content") {
    Bench bench;
    support::TempDir outside;
    support::write_file(outside / "a.py", "a");
    REQUIRE(::symlink(outside.path().c_str(), (outside / "loop").c_str()) == 0);
    REQUIRE(::symlink(outside.path().c_str(), (bench.local.project_directory() + "/vendor").c_str()) == 0);
    bench.local.project().push.outside_links = model::OutsideLinks::follow;
    const auto report = bench.push();
    CHECK(support::read_file(bench.release(report, "vendor/a.py")) == "a");
    CHECK(!report.tree.left_out.empty());
    REQUIRE(report.tree.followed.size() == 1);
    CHECK(report.tree.followed[0].path == "vendor");
    CHECK(report.tree.followed[0].target == std::filesystem::canonical(outside.path()));
    CHECK(report.tree.followed[0].files == 1);
}

TEST_CASE("a link to a secret is held back by the name it has there") {
    Bench bench;
    support::TempDir outside;
    support::write_file(outside / "id_ed25519", "words");
    std::filesystem::create_directory(outside / ".aws");
    support::write_file(outside / ".aws/credentials", "words");
    REQUIRE(::symlink((outside / "id_ed25519").c_str(), (bench.local.project_directory() + "/notes.txt").c_str()) == 0);
    REQUIRE(::symlink((outside / ".aws").c_str(), (bench.local.project_directory() + "/vendor").c_str()) == 0);
    bench.local.project().push.outside_links = model::OutsideLinks::follow;
    const auto report = bench.push();
    REQUIRE(report.tree.held_back.size() == 2);
    CHECK(report.tree.held_back[0].path == "notes.txt");
    CHECK(report.tree.held_back[1].path == "vendor/credentials");
    REQUIRE(report.tree.followed.size() == 1);
    CHECK(report.tree.followed[0].path == "vendor");
    bench.local.project().push.allow_secrets = {"notes.txt"};
    CHECK(bench.push().tree.held_back.size() == 1);
}

TEST_CASE("old releases that no run needs go, others stay") {
    Bench bench;
    std::vector<std::string> hashes;
    for (int i = 0; i < 7; ++i) {
        bench.put("train.py", "print(" + std::to_string(i) + ")\n");
        hashes.push_back(bench.push().hash);
        if (i == 0) {
            model::RunSpec spec{};
            spec.name = "r1";
            spec.command = {"true"};
            spec.code_hash = hashes[0];
            REQUIRE(bench.local.ledger().claim_run(bench.lease.id, spec));
        }
    }
    const auto left = names_in(bench.local.root() + "/releases");
    CHECK(left.size() == 5);  // current, three more, and the one the run came from
    CHECK(std::find(left.begin(), left.end(), hashes[0]) != left.end());
    CHECK(std::find(left.begin(), left.end(), hashes[6]) != left.end());
}

TEST_CASE("a root that could hurt is refused before anything is sent") {
    Bench bench;
    REQUIRE(bench.local.ledger().set_root(bench.lease.id, "demo", "/etc", bench.lease.root_nonce));
    const auto refused = bench.try_push();
    REQUIRE(!refused);
    CHECK(refused.error().code == Code::unsafe_path);
}

TEST_CASE("a root that was wiped is taken for no new box, until it is adopted anew") {
    Bench bench;
    bench.push();
    const bool whole = GENERATE(true, false);
    CAPTURE(whole);
    std::filesystem::remove_all(bench.local.root());
    if (!whole) std::filesystem::create_directories(bench.local.root());
    const auto refused = bench.try_push();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::host_key);
    CHECK(names_in(bench.local.root()).empty());
    // What `adopt` does where no run is known there.
    REQUIRE(bench.local.ledger().set_root(bench.lease.id, "demo", bench.lease.root, std::string(32, '1')));
    CHECK_FALSE(bench.push().up_to_date);
    CHECK(bench.push().up_to_date);
}

namespace {

// Connections that a plan counts and lets fail, counted themselves.
class CountingConnector final : public flow::Connector {
  public:
    explicit CountingConnector(support::FaultPlan& plan) : faulty_(plan) {}
    Result<std::unique_ptr<transport::Transport>> to(const Op& op, const model::Lease& lease) override {
        ++connections_;
        return faulty_.to(op, lease);
    }
    [[nodiscard]] int connections() const { return connections_; }

  private:
    support::FaultyConnector faulty_;
    int connections_{0};
};

struct Tried {
    Result<flow::PushReport> report;
    int connections{0};
};

// A push over a path that fails for good at the call `plan` names, with a clock on which nobody waits.
Tried push_over(Bench& bench, support::FaultPlan& plan) {
    support::HastyClock clock;
    support::TestOp op{clock};
    CountingConnector connector{plan};
    flow::Deps& deps = bench.local.deps();
    flow::Deps mine{deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
    flow::PushOptions options{};
    options.box = "b1";
    auto report = flow::push(op, mine, options);
    return {std::move(report), connector.connections()};
}

support::FaultPlan silence_from(std::size_t call) {
    return {call, true, Error{Code::stalled, Retry::reconnect, "nothing came for too long (injected)"}};
}

}  // namespace

namespace {

// The helper greets, and not a byte of any answer comes.
class MuteConnector final : public flow::Connector {
  public:
    Result<std::unique_ptr<transport::Transport>> to(const Op&, const model::Lease&) override {
        ++connections;
        return std::unique_ptr<transport::Transport>(std::make_unique<support::FaultyTransport>(mute_, plan_));
    }
    int connections{0};

  private:
    std::vector<proto::Frame> fall_silent(proto::Frame frame) {
        if (frame.type == proto::MessageType::hello) return {std::move(frame)};
        plan_.fail_at = 1;
        return {};
    }
    support::FaultPlan plan_{0, true, Error{Code::stalled, Retry::reconnect, "nothing came for too long (injected)"}};
    transport::LocalTransport local_{};
    support::TamperingTransport mute_{local_, [this](proto::Frame frame) { return fall_silent(std::move(frame)); }};
};

}  // namespace

TEST_CASE("a path that falls silent before the box told anything costs a push one silence, not six") {
    Bench bench;
    REQUIRE(flow::Box::connect(bench.op, bench.local.deps(), bench.lease));  // the helper is there
    support::HastyClock clock;
    support::TestOp op{clock};
    MuteConnector connector;
    flow::Deps& deps = bench.local.deps();
    flow::Deps mine{deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
    flow::PushOptions options{};
    options.box = "b1";
    const auto report = flow::push(op, mine, options);
    REQUIRE_FALSE(report);
    CHECK(report.error().code == Code::stalled);
    CHECK(connector.connections == 1);
}

TEST_CASE("a path that falls silent in the middle of a push is given up after as many connections as any transfer's") {
    Bench bench;
    bench.put("big.bin", std::string(3'000'000, 'x'));
    const int most = flow::Persistence{}.policy.max_attempts + 1;
    bool over = false;
    for (std::size_t call = 1; !over; call += 3) {
        CAPTURE(call);
        support::FaultPlan plan = silence_from(call);
        const Tried tried = push_over(bench, plan);
        CHECK(tried.connections <= most);
        over = tried.report.has_value();
    }
    // A silence that began behind the switch is no failure of the push; what it left undone is the next one's.
    CHECK(bench.push().sent_bytes == 0);
    CHECK(bench.push().up_to_date);
}

TEST_CASE("what an earlier push of this lease left at work on the box is fenced by the next one") {
    Bench bench;
    bench.push();
    const auto owner = bench.local.ledger().note(bench.lease.id, "push.owner");
    REQUIRE((owner && *owner));
    // Its helper waits for a client that will never speak again.
    auto orphan = flow::Box::connect(bench.op, bench.local.deps(), bench.lease);
    REQUIRE(orphan);
    agent::ClaimOptions wish{};
    wish.owner = unhex(**owner);
    const auto claim = orphan->claim_root(bench.op, true, wish);
    REQUIRE(claim);
    bench.put("train.py", "print(2)\n");
    const auto report = bench.push();
    CHECK(support::read_file(bench.release(report, "train.py")) == "print(2)\n");
    CHECK(orphan->agent().remove(bench.op, *claim, "current", false).error().code == Code::locked);
    CHECK(support::read_file(bench.local.root() + "/current") == report.hash + "\n");
}

TEST_CASE("a push does not fence what another laptop has at work there") {
    Bench bench;
    bench.push();
    auto other = flow::Box::connect(bench.op, bench.local.deps(), bench.lease);
    REQUIRE(other);
    agent::ClaimOptions wish{};
    wish.owner = std::string(16, 'o');
    REQUIRE(other->claim_root(bench.op, true, wish));
    bench.put("train.py", "print(2)\n");
    const auto refused = bench.try_push();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::locked);
    CHECK_FALSE(refused.error().next.empty());
}

TEST_CASE("two pushes of one lease take turns on the laptop") {
    Bench bench;
    const auto turn =
        ledger::FileLock::push(bench.op, bench.local.ledger().state_dir(), bench.lease.id, "drawhitch push");
    REQUIRE(turn);
    CHECK(bench.try_push().error().code == Code::locked);
}
