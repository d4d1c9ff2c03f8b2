// What a root's file system can do: tried out once, kept with the lease, and acted on.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <functional>

#include "base/random.hpp"
#include "core/exchange/root_json.hpp"
#include "flow/box.hpp"
#include "flow/cp.hpp"
#include "flow/push.hpp"
#include "io/transport/local.hpp"
#include "support/local_deps.hpp"
#include "support/tampering_transport.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;

namespace {

// This machine as the box, with another file system than it has; counts how often it was tried out.
class PretendingConnector final : public flow::Connector {
  public:
    Result<std::unique_ptr<transport::Transport>> to(const Op&, const model::Lease&) override {
        return std::unique_ptr<transport::Transport>(std::make_unique<support::TamperingTransport>(local_, tamper_));
    }
    std::function<void(proto::RootProbed& facts)> pretend{};
    int probes{0};

  private:
    std::vector<proto::Frame> tamper(proto::Frame frame) {
        if (frame.type == proto::MessageType::root_probed) {
            ++probes;
            auto facts = proto::decode<proto::RootProbed>(frame.payload);
            REQUIRE(facts);
            if (pretend) pretend(*facts);
            frame.payload = proto::encode(*facts);
        }
        return {std::move(frame)};
    }
    transport::LocalTransport local_{};
    support::Tamper tamper_{[this](proto::Frame frame) { return tamper(std::move(frame)); }};
};

struct Bench {
    support::TestOp op{};
    support::LocalDeps local{op};
    model::Lease lease{local.adopt("b1")};
    PretendingConnector connector{};
    flow::Deps deps{local.deps().ledger,  connector,           local.deps().helpers,
                    local.deps().prompt,  local.deps().laptop, local.deps().project,
                    local.deps().settings};

    Bench() {
        REQUIRE(flow::Box::connect(op, local.deps(), lease));  // the helper is there, and known
        put("train.py", "print(1)\n");
        put("big.txt", "the same in every release\n");
    }
    void put(const std::string& path, std::string_view content) const {
        const std::string full = local.project_directory() + "/" + path;
        ::unlink(full.c_str());
        support::write_file(full, content);
    }
    Result<flow::PushReport> push() {
        flow::PushOptions options{};
        options.box = "b1";
        return flow::push(op, deps, options);
    }
    [[nodiscard]] model::Lease known() { return local.ledger().lease(lease.id).value(); }
    [[nodiscard]] std::string current() const { return support::read_file(local.root() + "/current"); }
};

}  // namespace

TEST_CASE("a root is tried out by the first push, and the answers stay with the lease") {
    Bench bench;
    CHECK(bench.known().capabilities.empty());
    REQUIRE(bench.push());
    CHECK(bench.connector.probes == 1);
    const auto facts = exchange::read_root_json(bench.known().capabilities);
    REQUIRE(facts);
    CHECK(facts->boot_id == bench.known().boot_id);
    CHECK_FALSE(facts->boot_id.empty());
    CHECK(facts->symlinks);
    // Neither a push with nothing to do asks again, nor one with an edit.
    CHECK(bench.push()->up_to_date);
    bench.put("train.py", "print(2)\n");
    REQUIRE(bench.push());
    CHECK(bench.connector.probes == 1);
}

TEST_CASE("a root is tried out again after a restart of its box, and when it was made anew") {
    Bench bench;
    REQUIRE(bench.push());
    model::RootFacts facts = exchange::read_root_json(bench.known().capabilities).value();
    facts.boot_id = "an-earlier-boot";
    REQUIRE(bench.local.ledger().record_box(
        bench.lease.id, {.boot_id = "an-earlier-boot", .helper_path = {}, .capabilities = exchange::root_json(facts)}));
    // Even where an earlier look, which claims nothing, has told the ledger of the restart.
    REQUIRE(flow::Box::connect(bench.op, bench.deps, bench.known()));
    bench.put("train.py", "print(2)\n");
    REQUIRE(bench.push());
    CHECK(bench.connector.probes == 2);
    CHECK(exchange::read_root_json(bench.known().capabilities)->boot_id == bench.known().boot_id);
    std::filesystem::remove_all(bench.local.root());
    REQUIRE(bench.local.ledger().set_root(bench.lease.id, "demo", bench.lease.root, std::string(32, '1')));
    REQUIRE(bench.push());
    CHECK(bench.connector.probes == 3);
}

TEST_CASE("where hard links do not work, a push sends what it would have linked, and tries none") {
    Bench bench;
    bench.connector.pretend = [](proto::RootProbed& facts) { facts.hard_links = false; };
    REQUIRE(bench.push());
    bench.put("train.py", "print(2)\n");
    const auto second = bench.push();
    REQUIRE(second);
    CHECK(second->linked_files == 0);
    CHECK(second->sent_files == 2);
    const std::string there = bench.local.root() + "/releases/" + second->hash + "/big.txt";
    CHECK(std::filesystem::hard_link_count(there) == 1);
    CHECK(bench.current() == second->hash + "\n");
}

TEST_CASE("names that the box takes for one are refused before anything is sent") {
    Bench bench;
    REQUIRE(bench.push());
    const std::string before = bench.current();
    bench.connector.pretend = [](proto::RootProbed& facts) { facts.case_folding = true; };
    REQUIRE(bench.local.ledger().record_box(bench.lease.id, {.boot_id = {}, .helper_path = {}, .capabilities = "{}"}));
    bench.put("Train.py", "print(3)\n");
    const auto refused = bench.push();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::usage);
    CHECK(refused.error().why.find("Train.py and train.py") != std::string::npos);
    CHECK(refused.error().next == "drawhitch push b1 -n");
    CHECK(bench.current() == before);
    ::unlink((bench.local.project_directory() + "/Train.py").c_str());
    bench.put("train.py", "print(4)\n");
    CHECK(bench.push());
}

TEST_CASE("a copy asks about its directory only when its names could be confused, and is refused where they are") {
    Bench bench;
    bench.connector.pretend = [](proto::RootProbed& facts) { facts.case_folding = true; };
    const support::TempDir there;
    flow::CpOptions options{};
    options.to_box = true;
    options.box = "b1";
    options.local_path = bench.local.project_directory();
    options.box_path = there.path();
    REQUIRE(flow::cp(bench.op, bench.deps, options));
    CHECK(bench.connector.probes == 0);
    bench.put("Train.py", "print(3)\n");
    const auto refused = flow::cp(bench.op, bench.deps, options);
    REQUIRE_FALSE(refused);
    CHECK(bench.connector.probes == 1);
    CHECK(refused.error().code == Code::usage);
    CHECK_FALSE(std::filesystem::exists(there.path() + "/project/Train.py"));
}
