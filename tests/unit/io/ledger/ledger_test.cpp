#include "io/ledger/ledger.hpp"

#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "support/fake_clock.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"
#include "unit/io/ledger/counting_vfs.hpp"
#include "unit/io/ledger/workload.hpp"

namespace drawhitch::ledger_test {

namespace {

using ledger::Ledger;
using ledger::Which;
using support::FakeClock;
using support::TempDir;
using support::TestOp;

// A ledger in a directory of its own, and a clock that stands still.
struct Fixture {
    TempDir folder{};
    FakeClock clock{};
    TestOp op{clock};
    std::string state{folder / "state"};

    Ledger open() {
        auto opened = Ledger::open(op, state);
        REQUIRE(opened);
        return std::move(*opened);
    }
    std::int64_t lease(Ledger& ledger, const std::string& name = "box-3") {
        auto made = ledger.add_lease(lease_called(name));
        REQUIRE(made);
        return made->id;
    }
};

template <class T>
Code code_of(const Result<T>& result) {
    REQUIRE_FALSE(result.has_value());
    return result.error().code;
}

}  // namespace

TEST_CASE("what the ledger says is stored is on the disk, with the journal that the filesystem allows") {
    struct Row {
        ledger::FilesystemKind kind;
        char format;  // bytes 18 and 19 of the file: 2 says write-ahead log, 1 rollback journal
        long syncs;   // of one change: the log; the journal, its header, and the database
    };
    const Row row = GENERATE(Row{ledger::FilesystemKind::local, 2, 1}, Row{ledger::FilesystemKind::network, 1, 3});
    CAPTURE(row.syncs);
    Fixture here{};
    auto opened = Ledger::open(here.op, here.state, {row.kind, ledger_test::counting_vfs()});
    REQUIRE(opened);
    here.lease(*opened, "first");
    for (const char* name : {"second", "third"}) {
        ledger_test::plan_fault({});
        here.lease(*opened, name);
        CHECK(ledger_test::syncs_counted() >= row.syncs);
    }
    const std::string file = here.state + "/ledger.db";
    const std::string bytes = support::read_file(file);
    REQUIRE(bytes.size() > 20);
    CHECK(bytes[18] == row.format);
    CHECK(bytes[19] == row.format);
    CHECK((::access((file + "-wal").c_str(), F_OK) == 0) == (row.format == 2));
}

TEST_CASE("a lease is found again with every byte it was stored with") {
    Fixture here{};
    Ledger ledger = here.open();
    model::Lease lease = lease_called("box-3");
    lease.root = std::string{"/data/\xff\n\0x", 9};
    lease.price_hour = 1.25;
    REQUIRE(ledger.add_lease(lease));
    const auto found = ledger.lease_by_name("box-3");
    REQUIRE(found);
    CHECK(found->root == lease.root);
    CHECK(found->endpoint.identity_file == lease.endpoint.identity_file);
    CHECK(found->endpoint.transport == model::TransportKind::ssh);
    CHECK(found->price_hour == 1.25);
    CHECK(found->began == here.clock.wall());
    CHECK(found->state == model::LeaseState::active);
}

TEST_CASE("what a run must leave behind can be declared after its launch, each pattern once") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto lease = here.lease(ledger);
    model::RunSpec spec{};
    spec.name = "r1";
    const auto run = ledger.claim_run(lease, spec);
    REQUIRE(run);
    REQUIRE(ledger.declare_roster(run->id, {{"a/**", model::RosterClass::must}, {"b", model::RosterClass::must}}));
    REQUIRE(ledger.declare_roster(run->id, {{"b", model::RosterClass::must}, {"c", model::RosterClass::nice}}));
    const auto roster = ledger.run(run->id)->spec.roster;
    REQUIRE(roster.size() == 3);
    CHECK(roster[0].pattern == "a/**");
    CHECK(roster[1].pattern == "b");
    CHECK(roster[2].wanted == model::RosterClass::nice);
    CHECK(ledger.events(lease)->back().kind == "run.declared");
    CHECK_FALSE(ledger.declare_roster(99, {{"a", model::RosterClass::must}}));
}

TEST_CASE("two open leases cannot have one name, a closed one gives it back") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto first = here.lease(ledger);
    CHECK(code_of(ledger.add_lease(lease_called("box-3"))) == Code::exists);
    REQUIRE(ledger.close_lease(first, "told so"));
    const auto second = here.lease(ledger);
    CHECK(second > first);
    CHECK(ledger.lease_by_name("box-3")->id == second);
    CHECK(ledger.leases(Which::open)->size() == 1);
    CHECK(ledger.leases(Which::all)->size() == 2);
}

TEST_CASE("an unknown box is answered with the names that exist") {
    Fixture here{};
    Ledger ledger = here.open();
    CHECK(ledger.lease_by_name("box-9").error().next == "drawhitch help adopt");
    here.lease(ledger, "box-3");
    here.lease(ledger, "box-4");
    const auto missing = ledger.lease_by_name("box-9");
    CHECK(code_of(missing) == Code::not_found);
    CHECK(missing.error().why == "known boxes: box-3, box-4");
}

TEST_CASE("a closed lease takes no more changes and keeps the reason of its end") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto id = here.lease(ledger);
    REQUIRE(ledger.add_volatile(id, "/dev/shm/x", "secret X"));
    REQUIRE(ledger.close_lease(id, "gone from the provider's list"));
    CHECK(code_of(ledger.set_state(id, model::LeaseState::active, "")) == Code::not_found);
    CHECK(code_of(ledger.update_endpoint(id, {})) == Code::not_found);
    CHECK(ledger.close_lease(id, "again"));
    CHECK(ledger.lease(id)->state_reason == "gone from the provider's list");
    CHECK(ledger.volatile_files(id)->empty());
    CHECK(code_of(ledger.close_lease(77, "")) == Code::not_found);
}

TEST_CASE("entering a state again does not move the time it was entered") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto id = here.lease(ledger);
    here.clock.advance(milliseconds{5000});
    REQUIRE(ledger.set_state(id, model::LeaseState::unconfirmed, "asked"));
    const WallTime since = here.clock.wall();
    here.clock.advance(milliseconds{5000});
    REQUIRE(ledger.set_state(id, model::LeaseState::unconfirmed, "asked again"));
    CHECK(ledger.lease(id)->state_since == since);
    CHECK(ledger.lease(id)->state_reason == "asked again");
}

TEST_CASE("facts about a box are kept where nothing new is known") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto id = here.lease(ledger);
    REQUIRE(ledger.record_box(id, {"boot-1", "/opt/h\xff", "{}"}));
    here.clock.advance(milliseconds{1000});
    REQUIRE(ledger.contact(id));
    const auto lease = ledger.lease(id);
    CHECK(lease->boot_id == "boot-1");
    CHECK(lease->helper_path == "/opt/h\xff");
    CHECK(lease->capabilities == "{}");
    CHECK(lease->last_contact == here.clock.wall());
}

TEST_CASE("replaced host keys stay in the history with the reason") {
    Fixture here{};
    Ledger ledger = here.open();
    const std::array before{key_of("old")};
    const std::array after{key_of("new"), key_of("newer")};
    const auto id = ledger.add_lease(lease_called("box-3"), before)->id;
    REQUIRE(ledger.pin_host_key(id, key_of("old")));
    CHECK(ledger.host_keys(id)->size() == 1);
    REQUIRE(ledger.replace_host_keys(id, after, "the box was rebuilt"));
    const auto keys = ledger.host_keys(id);
    REQUIRE(keys->size() == 2);
    CHECK(keys->at(0).blob == key_of("new").blob);
    const auto history = ledger.host_key_history(id);
    REQUIRE(history->size() == 3);
    CHECK(history->at(0).reason == "the box was rebuilt");
    CHECK(history->at(0).retired == here.clock.wall());
    CHECK(code_of(ledger.pin_host_key(99, key_of("x"))) == Code::not_found);
}

TEST_CASE("an intent is found by its label until it is settled, and its label is used once") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto id = ledger.intend({0, {}, "create-7f3a", "create", "{}", {}, {}, {}, {}});
    REQUIRE(id);
    CHECK(code_of(ledger.intend({0, {}, "create-7f3a", "create", "", {}, {}, {}, {}})) == Code::exists);
    REQUIRE(ledger.open_intents()->size() == 1);
    REQUIRE(ledger.settle(*id, "done", "i-123"));
    CHECK(ledger.open_intents()->empty());
    CHECK(ledger.find_intent("create-7f3a")->value().outcome_detail == "i-123");
    CHECK(code_of(ledger.settle(*id, "failed")) == Code::not_found);
}

TEST_CASE("a run is read back as it was claimed") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto lease = here.lease(ledger);
    const model::RunSpec spec = spec_called("r1");
    const auto claimed = ledger.claim_run(lease, spec);
    REQUIRE(claimed);
    CHECK(claimed->verdict.kind == model::VerdictKind::queued);
    const auto run = ledger.run_by_name(lease, "r1");
    REQUIRE(run);
    CHECK(run->spec.command == spec.command);
    CHECK(run->spec.env_shown == spec.env_shown);
    CHECK(run->spec.env_hashed == spec.env_hashed);
    REQUIRE(run->spec.roster.size() == 2);
    CHECK(run->spec.roster[0].pattern == "ckpt/*.pt");
    CHECK(run->spec.roster[1].wanted == model::RosterClass::scratch);
    CHECK(run->spec.work_dir == spec.work_dir);
    CHECK(run->spec.gpus == "0,1");
    CHECK_FALSE(run->confirmed);
}

TEST_CASE("a run's name is claimed once per lease") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto one = here.lease(ledger, "box-1");
    const auto two = here.lease(ledger, "box-2");
    const auto run = ledger.claim_run(one, spec_called("r1"));
    REQUIRE(run);
    CHECK(code_of(ledger.claim_run(one, spec_called("r1"))) == Code::exists);
    CHECK(ledger.claim_run(two, spec_called("r1")));
    REQUIRE(ledger.drop_claim(run->id, "the request was never sent"));
    CHECK(ledger.claim_run(one, spec_called("r1")));
    CHECK(ledger.runs(one)->size() == 1);
}

TEST_CASE("a claim is revised until something was seen to start under it") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto run = ledger.claim_run(here.lease(ledger), spec_called("r1"));
    REQUIRE(run);
    model::RunSpec spec = run->spec;
    spec.code_hash = "cafe";
    spec.driver = "tmux";
    spec.command = {"other", "words"};
    spec.roster = {{"*.pt", model::RosterClass::nice}};
    spec.env_shown = {{"B", "2"}};
    const auto revised = ledger.revise_claim(run->id, spec);
    REQUIRE(revised);
    CHECK(revised->id == run->id);
    CHECK(revised->attempt == 1);
    CHECK(revised->verdict.kind == model::VerdictKind::queued);
    const auto stored = ledger.run(run->id);
    REQUIRE(stored);
    CHECK(stored->spec.code_hash == "cafe");
    CHECK(stored->spec.driver == "tmux");
    CHECK(stored->spec.command == spec.command);
    REQUIRE(stored->spec.roster.size() == 1);
    CHECK(stored->spec.roster.front().pattern == "*.pt");
    CHECK(stored->spec.env_shown == spec.env_shown);
    REQUIRE(ledger.record_identity(run->id, {4711, 4711, 12, "boot-1"}));
    CHECK(code_of(ledger.revise_claim(run->id, spec)) == Code::exists);
    CHECK(code_of(ledger.revise_claim(99, spec)) == Code::not_found);
}

TEST_CASE("a run that was started keeps its name") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto id = ledger.claim_run(here.lease(ledger), spec_called("r1"))->id;
    REQUIRE(ledger.record_identity(id, {4711, 4711, 12, "boot-1"}));
    CHECK(code_of(ledger.drop_claim(id, "oops")) == Code::exists);
    CHECK(ledger.run(id)->identity.start_ticks == 12);
}

TEST_CASE("a further attempt needs the last one to have ended, and begins anew") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto id = ledger.claim_run(here.lease(ledger), spec_called("r1"))->id;
    REQUIRE(ledger.record_identity(id, {4711, 4711, 12, "boot-1"}));
    model::Verdict verdict{};
    for (const auto kind :
         {model::VerdictKind::running, model::VerdictKind::unreachable, model::VerdictKind::unknown}) {
        verdict.kind = kind;
        REQUIRE(ledger.record_verdict(id, verdict));
        CHECK(code_of(ledger.claim_attempt(id, spec_called("r1"))) == Code::exists);
    }
    verdict.kind = model::VerdictKind::failed;
    verdict.exit_code = 1;
    verdict.evidence = {"exit.json says 1", "no reboot"};
    REQUIRE(ledger.record_verdict(id, verdict));
    CHECK(ledger.run(id)->verdict.evidence == verdict.evidence);
    model::RunSpec other = spec_called("r1");
    other.command = {"python", "again.py"};
    const auto again = ledger.claim_attempt(id, other);
    REQUIRE(again);
    CHECK(again->attempt == 2);
    CHECK(again->identity.pid == 0);
    CHECK(again->verdict.kind == model::VerdictKind::queued);
    CHECK(again->spec.command == other.command);
}

TEST_CASE("receipts of a run add up, and each generation of a file counts") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto lease = here.lease(ledger);
    const auto run = ledger.claim_run(lease, spec_called("r1"))->id;
    model::Receipt first{};
    first.lease = lease;
    first.run = run;
    first.directory = "/pulls";
    first.files = {{file_at("a", '1'), "/pulls/a", model::Structure::sound},
                   {file_at("b", '2'), "/pulls/b", model::Structure::broken}};
    model::Receipt second = first;
    second.files = {{file_at("a", '1'), "/pulls/a2", model::Structure::sound},
                    {file_at("b", '3'), "/pulls/b", model::Structure::sound}};
    REQUIRE(ledger.add_receipt(first));
    REQUIRE(ledger.add_receipt(second));
    const auto covered = ledger.covered(run);
    REQUIRE(covered);
    REQUIRE(covered->size() == 4);
    CHECK(covered->at(0).entry.local_path == "/pulls/a2");
    CHECK(covered->at(1).entry.file.root == std::string(64, '3'));
    CHECK(covered->at(2).entry.local_path == "/pulls/a");
    CHECK(covered->at(3).entry.structure == model::Structure::broken);
    REQUIRE(ledger.receipts(run)->size() == 2);
    CHECK(ledger.receipts(run)->at(0).files.size() == 2);
    CHECK(ledger.received_into(run, "/pulls").value());
    CHECK_FALSE(ledger.received_into(run, "/pull").value());
    CHECK_FALSE(ledger.received_into(run + 1, "/pulls").value());
    const ledger::LoadTestKey key{std::string(64, 'a'), std::string(64, 'b')};
    CHECK_FALSE(ledger.load_test_passed(key).value_or(true));
    CHECK(ledger.add_load_test(key));
    CHECK(ledger.add_load_test(key));
    CHECK(ledger.load_test_passed(key).value_or(false));
    CHECK_FALSE(ledger.load_test_passed({key.subject, std::string(64, 'c')}).value_or(true));
    CHECK(ledger.forget_load_test(key));
    CHECK_FALSE(ledger.load_test_passed(key).value_or(true));
    CHECK(code_of(ledger.add_receipt({0, lease, 99, {}, "/", {}})) == Code::not_found);
}

TEST_CASE("the newest manifest of a run is read back whole") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto run = ledger.claim_run(here.lease(ledger), spec_called("r1"))->id;
    CHECK_FALSE(ledger.latest_manifest(run)->has_value());
    model::ManifestEntry huge = file_at("big\xff", '2', 0xFFFFFFFFFFFFFFFFU);
    huge.mtime = {-5, 999'999'999};
    huge.wanted = model::RosterClass::nice;
    const std::array old{file_at("a", '1')};
    const std::array files{huge, file_at("a", '1')};
    REQUIRE(ledger.add_manifest(run, old));
    REQUIRE(ledger.add_manifest(run, files));
    const auto manifest = ledger.latest_manifest(run);
    REQUIRE(manifest->value().entries.size() == 2);
    CHECK(manifest->value().entries[0].size == huge.size);
    CHECK(manifest->value().entries[0].mtime == huge.mtime);
    CHECK(manifest->value().entries[0].path == huge.path);
    CHECK(manifest->value().entries[0].wanted == model::RosterClass::nice);
}

TEST_CASE("events can only be appended, and changes of a lease leave theirs") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto id = here.lease(ledger);
    REQUIRE(ledger.append_event(id, {}, "down.plan", "{\"open\":false}"));
    REQUIRE(ledger.set_state(id, model::LeaseState::unconfirmed, "said \"so\"\n"));
    const auto events = ledger.events(id);
    REQUIRE(events->size() == 3);
    CHECK(events->at(0).kind == "lease.added");
    CHECK(events->at(1).json == "{\"open\":false}");
    CHECK(events->at(2).json == "{\"reason\":\"said \\\"so\\\"\\n\"}");
    CHECK(ledger.events(id, events->at(1).id)->size() == 1);
    CHECK(ledger.events(id, 0, 2)->size() == 2);
}

TEST_CASE("samples come back in order of time, once each") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto id = here.lease(ledger);
    const std::array points{ledger::Sample{{20, 5}, 2.0}, ledger::Sample{{10, 0}, 1.0}, ledger::Sample{{20, 5}, 3.0}};
    REQUIRE(ledger.add_samples(id, "spend", points));
    const auto all = ledger.samples(id, "spend", {});
    REQUIRE(all->size() == 2);
    CHECK(all->at(1).at == WallTime{20, 5});
    CHECK(all->at(1).value == 3.0);
    CHECK(ledger.samples(id, "spend", {11, 0})->size() == 1);
    CHECK(ledger.samples(id, "other", {})->empty());
}

TEST_CASE("trust, notes, copies and volatile files are remembered by their keys") {
    Fixture here{};
    Ledger ledger = here.open();
    const auto id = here.lease(ledger);
    const auto run = ledger.claim_run(id, spec_called("r1"))->id;
    REQUIRE(ledger.trust("/p/drawhitch.toml", "aa"));
    REQUIRE(ledger.trust("/p/drawhitch.toml", "bb"));
    CHECK(ledger.trusted_hash("/p/drawhitch.toml")->value() == "bb");
    REQUIRE(ledger.distrust("/p/drawhitch.toml"));
    CHECK_FALSE(ledger.trusted_hash("/p/drawhitch.toml")->has_value());
    REQUIRE(ledger.set_note(id, "k", "1"));
    REQUIRE(ledger.set_note(id, "k", "2"));
    CHECK(ledger.note(id, "k")->value() == "2");
    REQUIRE(ledger.add_copy({run, file_at("a", '1'), "tier:durable", {50, 0}}));
    CHECK(ledger.copies(run)->at(0).read_back == WallTime{50, 0});
    REQUIRE(ledger.add_volatile(id, "/dev/shm/e\xff", "environment of run r1"));
    CHECK(ledger.volatile_files(id)->at(0).path == "/dev/shm/e\xff");
    REQUIRE(ledger.forget_volatile(id, "/dev/shm/e\xff"));
    CHECK(ledger.volatile_files(id)->empty());
}

TEST_CASE("a ledger opened again holds what was stored") {
    Fixture here{};
    for (const auto kind : {ledger::FilesystemKind::local, ledger::FilesystemKind::network}) {
        const std::string state = here.folder / (kind == ledger::FilesystemKind::local ? "wal" : "rollback");
        {
            auto opened = Ledger::open(here.op, state, {kind, {}});
            REQUIRE(opened);
            for (const Step& step : workload())
                REQUIRE(step(*opened));
        }
        auto again = Ledger::open(here.op, state, {kind, {}});
        REQUIRE(again);
        CHECK(read_everything(*again));
        CHECK(again->leases(Which::all)->size() == 2);
    }
}

}  // namespace drawhitch::ledger_test
