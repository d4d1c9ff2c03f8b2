#include "unit/io/ledger/workload.hpp"

#include <sqlite3.h>

#include <array>
#include <memory>

#include "unit/io/ledger/counting_vfs.hpp"

namespace drawhitch::ledger_test {

namespace {

using ledger::Ledger;

struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
};
using Handle = std::unique_ptr<sqlite3, Close>;

Handle open_plain(const std::string& path) {
    sqlite3* handle = nullptr;
    sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE, counting_vfs().c_str());
    return Handle{handle};
}

// Appends each value of each row to `out`; false when the query fails.
bool collect(sqlite3* handle, const std::string& sql, std::vector<std::string>& out) {
    const auto append = [](void* to, int count, char** values, char**) {
        for (int at = 0; at < count; ++at)
            static_cast<std::vector<std::string>*>(to)->emplace_back(values[at] != nullptr ? values[at] : "NULL");
        return 0;
    };
    return sqlite3_exec(handle, sql.c_str(), append, &out, nullptr) == SQLITE_OK;
}

std::vector<Step> steps_of_leases() {
    return {
        [](Ledger& l) -> Status {
            const std::array keys{key_of("key one"), key_of("key two")};
            TRY(l.add_lease(lease_called("box-3"), keys));
            return ok();
        },
        [](Ledger& l) { return l.set_root(1, "nanogpt", "/data/drawhitch/nano\xff", "aabbccdd"); },
        [](Ledger& l) {
            return l.record_box(1, {"boot-1", "/root/.cache/drawhitch/helper-1", "{\"link\":true}"});
        },
        [](Ledger& l) { return l.set_price(1, 2.5, "USD"); },
        [](Ledger& l) { return l.set_profile(1, "generic-ssh", "[identity]\nid = 'generic-ssh'\n"); },
        [](Ledger& l) -> Status {
            TRY(l.intend({0, 1, "launch-r1", "launch", "{\"run\":\"r1\"}", {}, {}, {}, {}}));
            return ok();
        },
        [](Ledger& l) { return l.add_volatile(1, "/dev/shm/drawhitch/r1.env", "environment of run r1"); },
    };
}

std::vector<Step> steps_of_runs() {
    return {
        [](Ledger& l) -> Status {
            TRY(l.claim_run(1, spec_called("r1")));
            return ok();
        },
        [](Ledger& l) {
            return l.record_identity(1, {4711, 4711, 0xFFFFFFFFFFFFFFF0U, "boot-1"});
        },
        [](Ledger& l) { return l.confirm_run(1); },
        [](Ledger& l) { return l.settle(1, "done"); },
        [](Ledger& l) {
            model::Verdict verdict{};
            verdict.kind = model::VerdictKind::failed;
            verdict.exit_code = 137;
            verdict.signal = "KILL";
            verdict.cause = "oom";
            verdict.since = WallTime{1700000000, 5};
            verdict.evidence = {"oom_kill 0 -> 1", "exit.json"};
            return l.record_verdict(1, verdict);
        },
        [](Ledger& l) -> Status {
            TRY(l.claim_attempt(1, spec_called("r1")));
            return ok();
        },
        [](Ledger& l) -> Status {
            TRY(l.claim_run(1, spec_called("r2")));
            return ok();
        },
        [](Ledger& l) -> Status {
            TRY(l.revise_claim(2, spec_called("r2")));
            return ok();
        },
        [](Ledger& l) { return l.drop_claim(2, "the box refused the launch"); },
    };
}

std::vector<Step> steps_of_proof() {
    return {
        [](Ledger& l) -> Status {
            const std::array files{file_at("ckpt/a.pt", '1'), file_at("ckpt/b.pt", '2'), file_at("l\xffg", '3')};
            TRY(l.add_manifest(1, files));
            return ok();
        },
        [](Ledger& l) -> Status {
            model::Receipt receipt{};
            receipt.lease = receipt.run = 1;
            receipt.directory = "/home/u/pulls/box-3/r1";
            receipt.files = {
                {file_at("ckpt/a.pt", '1'), "/home/u/pulls/box-3/r1/ckpt/a.pt", model::Structure::sound},
                {file_at("l\xffg", '3'), "/home/u/pulls/box-3/r1/l\xffg", model::Structure::unknown_format}};
            TRY(l.add_receipt(receipt));
            return ok();
        },
        [](Ledger& l) {
            return l.add_copy({1, file_at("ckpt/b.pt", '2'), "tier:durable", WallTime{1700000001, 0}});
        },
    };
}

std::vector<Step> steps_of_the_rest() {
    return {
        [](Ledger& l) { return l.append_event(1, 1, "down.plan", "{\"open\":false}"); },
        [](Ledger& l) {
            const std::array points{ledger::Sample{{1, 0}, 0.5}, ledger::Sample{{2, 0}, 1.5}};
            return l.add_samples(1, "spend", points);
        },
        [](Ledger& l) { return l.set_note(1, "disk warning", "shown"); },
        [](Ledger& l) { return l.trust("/home/u/proj/drawhitch.toml", std::string(64, 'a')); },
        [](Ledger& l) { return l.distrust("/home/u/proj/drawhitch.toml"); },
        [](Ledger& l) { return l.contact(1); },
        [](Ledger& l) {
            model::Endpoint endpoint{};
            endpoint.transport = model::TransportKind::ssh;
            endpoint.host = "203.0.113.8";
            endpoint.port = 2222;
            return l.update_endpoint(1, endpoint);
        },
        [](Ledger& l) { return l.pin_host_key(1, key_of("key three")); },
        [](Ledger& l) {
            const std::array keys{key_of("key four")};
            return l.replace_host_keys(1, keys, "adopted again");
        },
        [](Ledger& l) { return l.forget_volatile(1, "/dev/shm/drawhitch/r1.env"); },
        [](Ledger& l) { return l.add_volatile(1, "/dev/shm/drawhitch/HF_TOKEN", "secret HF_TOKEN"); },
        [](Ledger& l) { return l.set_state(1, model::LeaseState::unconfirmed, "asked the user to stop it"); },
        [](Ledger& l) { return l.close_lease(1, "the user said it is stopped"); },
        [](Ledger& l) -> Status {
            TRY(l.add_lease(lease_called("box-3")));
            return ok();
        },
    };
}

Status read_run(const Ledger& ledger, const model::Run& run) {
    TRY(ledger.run(run.id));
    TRY(ledger.latest_manifest(run.id));
    TRY(ledger.receipts(run.id));
    TRY(ledger.covered(run.id));
    TRY(ledger.copies(run.id));
    return ok();
}

}  // namespace

std::vector<Step> workload() {
    std::vector<Step> all{};
    for (const auto& part : {steps_of_leases(), steps_of_runs(), steps_of_proof(), steps_of_the_rest()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

Status read_everything(const Ledger& ledger) {
    TRY(ledger.open_intents());
    TRY(ledger.find_intent("launch-r1"));
    TRY(ledger.trusted_hash("/home/u/proj/drawhitch.toml"));
    TRY_ASSIGN(const auto leases, ledger.leases(ledger::Which::all));
    for (const model::Lease& lease : leases) {
        TRY(ledger.find_lease(lease.name));
        TRY(ledger.host_key_history(lease.id));
        TRY(ledger.volatile_files(lease.id));
        TRY(ledger.events(lease.id));
        TRY(ledger.samples(lease.id, "spend", {}));
        TRY(ledger.note(lease.id, "disk warning"));
        TRY_ASSIGN(const auto runs, ledger.runs(lease.id));
        for (const model::Run& run : runs)
            TRY(read_run(ledger, run));
    }
    return ok();
}

std::string dump(const std::string& database_path) {
    const Handle handle = open_plain(database_path);
    std::vector<std::string> said{};
    if (!collect(handle.get(), "PRAGMA integrity_check; PRAGMA foreign_key_check", said)) return "unreadable";
    std::string text{};
    for (const std::string& line : said)
        text += line + "\n";
    std::vector<std::string> tables{};
    if (!collect(handle.get(), "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", tables)) return {};
    for (const std::string& table : tables) {
        std::vector<std::string> columns{};
        if (!collect(handle.get(), "SELECT name FROM pragma_table_info('" + table + "')", columns)) return {};
        std::string list{};
        for (const std::string& column : columns)
            list += (list.empty() ? "quote(\"" : " || ', ' || quote(\"") + column + "\")";
        std::vector<std::string> rows{};
        if (!collect(handle.get(), "SELECT " + list + " FROM \"" + table + "\" ORDER BY 1", rows)) return {};
        text += table + "\n";
        for (const std::string& row : rows)
            text += "  " + row + "\n";
    }
    return text;
}

model::Lease lease_called(const std::string& name) {
    model::Lease lease{};
    lease.name = name;
    lease.profile = "generic-ssh";
    lease.profile_toml = "[identity]\n";
    lease.endpoint.transport = model::TransportKind::ssh;
    lease.endpoint.host = "203.0.113.7";
    lease.endpoint.port = 22;
    lease.endpoint.user = "root";
    lease.endpoint.identity_file = "/home/u/.ssh/id_\xff";
    return lease;
}

model::RunSpec spec_called(const std::string& name) {
    model::RunSpec spec{};
    spec.name = name;
    spec.command = {"python", "train.py", "--note=\xff'\"\n", ""};
    spec.activate = "source env/bin/activate";
    spec.code_hash = std::string(64, 'c');
    spec.run_dir = "/data/drawhitch/nano/runs/" + name;
    spec.work_dir = spec.run_dir + "/work";
    spec.gpus = "0,1";
    spec.driver = "setsid";
    spec.roster = {{"ckpt/*.pt", model::RosterClass::must}, {"tmp/**", model::RosterClass::scratch}};
    spec.env_shown = {{"OMP_NUM_THREADS", "4"}};
    spec.env_hashed = {{"HF_TOKEN", "5f3a"}};
    spec.started_by_pid = 99;
    return spec;
}

model::ManifestEntry file_at(const std::string& path, char digest, std::uint64_t size) {
    model::ManifestEntry file{};
    file.unit = path;
    file.path = path;
    file.size = size;
    file.mtime = {1700000000, 7};
    file.root = std::string(64, digest);
    file.sha256 = std::string(64, digest);
    return file;
}

model::HostKey key_of(const std::string& blob) {
    return {"ssh-ed25519", blob + std::string(1, '\0') + "tail", "SHA256:" + blob, "asked", WallTime{1700000000, 0}};
}

}  // namespace drawhitch::ledger_test
