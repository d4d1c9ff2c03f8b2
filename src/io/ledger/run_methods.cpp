// Runs and their verdicts.
#include <string>

#include "base/text.hpp"
#include "io/ledger/impl.hpp"

namespace drawhitch::ledger {

namespace {

constexpr std::string_view k_run_columns =
    "SELECT id, lease, name, attempt, activate, code_hash, run_dir, work_dir, gpus, driver, scratch, started_by_pid, "
    "pid,"
    " pgid, start_ticks, boot_id, created_ns, confirmed FROM runs ";

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines{};
    if (text.empty()) return lines;
    for (const std::string_view line : split(text, '\n'))
        lines.emplace_back(line);
    return lines;
}

Status read_spec_parts(Database& database, model::Run& run) {
    TRY(database.each("SELECT arg FROM run_args WHERE run = ? ORDER BY at", {run.id}, [&](const Row& row) {
        run.spec.command.push_back(row.text(0));
        return ok();
    }));
    TRY(database.each("SELECT name, hashed, value FROM run_env WHERE run = ?", {run.id}, [&](const Row& row) {
        auto& map = row.integer(1) != 0 ? run.spec.env_hashed : run.spec.env_shown;
        map[row.text(0)] = row.text(2);
        return ok();
    }));
    return database.each("SELECT pattern, wanted FROM run_roster WHERE run = ? ORDER BY at", {run.id},
                         [&](const Row& row) -> Status {
                             const std::string word = row.text(1);
                             const auto wanted = model::roster_class(word);
                             if (!wanted) return unknown_word("roster class", word);
                             run.spec.roster.push_back({row.text(0), *wanted});
                             return ok();
                         });
}

Status read_verdict(Database& database, model::Run& run) {
    return database.each(
        "SELECT at_ns, kind, exit_code, signal, cause, since_s, since_ns, progress, evidence FROM verdicts"
        " WHERE run = ? AND attempt = ? ORDER BY id DESC LIMIT 1",
        {run.id, run.attempt}, [&](const Row& row) -> Status {
            const std::string word = row.text(1);
            const auto kind = model::verdict_kind(word);
            if (!kind) return unknown_word("verdict", word);
            run.verdict_at = from_ns(row.integer(0));
            model::Verdict& verdict = run.verdict;
            verdict.kind = *kind;
            if (!row.null(2)) verdict.exit_code = static_cast<int>(row.integer(2));
            verdict.signal = row.text(3);
            verdict.cause = row.text(4);
            if (!row.null(5)) verdict.since = WallTime{row.integer(5), static_cast<std::int32_t>(row.integer(6))};
            verdict.progress = row.text(7);
            verdict.evidence = lines_of(row.text(8));
            return ok();
        });
}

model::Run read_run_row(const Row& row) {
    model::Run run{};
    run.id = row.integer(0);
    run.lease = row.integer(1);
    run.attempt = row.integer(3);
    model::RunSpec& spec = run.spec;
    spec.name = row.text(2);
    spec.activate = row.text(4);
    spec.code_hash = row.text(5);
    spec.run_dir = row.text(6);
    spec.work_dir = row.text(7);
    spec.gpus = row.text(8);
    spec.driver = row.text(9);
    spec.scratch = row.integer(10) != 0;
    spec.started_by_pid = row.integer(11);
    run.identity = {row.integer(12), row.integer(13), static_cast<std::uint64_t>(row.integer(14)), row.text(15)};
    run.created = from_ns(row.integer(16));
    run.confirmed = row.integer(17) != 0;
    return run;
}

Result<std::vector<model::Run>> read_runs(Database& database, std::string_view rest, Values values) {
    std::vector<model::Run> runs{};
    TRY(database.each(std::string{k_run_columns}.append(rest), values, [&](const Row& row) {
        runs.push_back(read_run_row(row));
        return ok();
    }));
    for (model::Run& run : runs) {
        TRY(read_spec_parts(database, run));
        TRY(read_verdict(database, run));
    }
    return runs;
}

Result<model::Run> read_run(Database& database, std::int64_t id) {
    TRY_ASSIGN(auto found, read_runs(database, "WHERE id = ?", {id}));
    if (found.empty()) return no_such("run", id);
    return std::move(found.front());
}

Status insert_spec_parts(Database& database, std::int64_t run, const model::RunSpec& spec) {
    std::int64_t at = 0;
    for (const std::string& arg : spec.command)
        TRY(database.run("INSERT INTO run_args (run, at, arg) VALUES (?, ?, ?)", {run, at++, Bytes{arg}}));
    at = 0;
    for (const model::RosterItem& item : spec.roster)
        TRY(database.run("INSERT INTO run_roster (run, at, pattern, wanted) VALUES (?, ?, ?, ?)",
                         {run, at++, Bytes{item.pattern}, model::name_of(item.wanted)}));
    for (const auto* map : {&spec.env_shown, &spec.env_hashed}) {
        const bool hashed = map == &spec.env_hashed;
        for (const auto& [name, value] : *map)
            TRY(database.run("INSERT INTO run_env (run, name, hashed, value) VALUES (?, ?, ?, ?)",
                             {run, Bytes{name}, hashed, Bytes{value}}));
    }
    return ok();
}

Status replace_spec_parts(Database& database, std::int64_t run, const model::RunSpec& spec) {
    for (const char* table : {"DELETE FROM run_args WHERE run = ?", "DELETE FROM run_env WHERE run = ?",
                              "DELETE FROM run_roster WHERE run = ?"})
        TRY(database.run(table, {run}));
    return insert_spec_parts(database, run, spec);
}

Status insert_verdict(Database& database, const model::Run& run, const model::Verdict& verdict, std::int64_t now) {
    std::optional<std::int64_t> since_s{};
    std::optional<std::int64_t> since_ns{};
    if (verdict.since) {
        since_s = verdict.since->seconds;
        since_ns = verdict.since->nanoseconds;
    }
    TRY(
        database.run("INSERT INTO verdicts (run, attempt, at_ns, kind, exit_code, signal, cause, since_s, since_ns,"
                     " progress, evidence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     {run.id, run.attempt, now, model::name_of(verdict.kind), verdict.exit_code, verdict.signal,
                      verdict.cause, since_s, since_ns, verdict.progress, join(verdict.evidence, "\n")}));
    return ok();
}

model::Verdict queued() {
    model::Verdict verdict{};
    verdict.kind = model::VerdictKind::queued;
    return verdict;
}

Error name_taken(const std::string& name, std::int64_t id) {
    return Error{Code::exists, "a run is already called " + printable(name) + " (number " + std::to_string(id) + ")"}
        .because("a name is claimed once, so that nothing starts twice")
        .then("drawhitch ps");
}

Status expect_run(std::int64_t changed, std::int64_t run) {
    if (changed > 0) return ok();
    return no_such("run", run);
}

}  // namespace

Result<model::Run> Ledger::claim_run(std::int64_t lease, const model::RunSpec& spec) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    Database& database = *impl_->database;
    TRY_ASSIGN(const auto open, database.integer("SELECT 1 FROM leases WHERE id = ? AND state <> 'closed'", {lease}));
    if (!open) return no_such("open lease", lease);
    TRY_ASSIGN(const auto taken,
               database.integer("SELECT id FROM runs WHERE lease = ? AND name = ? AND dropped_ns IS NULL",
                                {lease, spec.name}));
    if (taken) return name_taken(spec.name, *taken);
    const std::int64_t now = impl_->now_ns();
    TRY(database.run(
        "INSERT INTO runs (lease, name, attempt, activate, code_hash, run_dir, work_dir, gpus, driver, scratch,"
        " started_by_pid, pid, pgid, start_ticks, boot_id, created_ns, confirmed, dropped_reason)"
        " VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, '', ?, 0, '')",
        {lease, spec.name, spec.activate, spec.code_hash, Bytes{spec.run_dir}, Bytes{spec.work_dir}, spec.gpus,
         spec.driver, spec.scratch, spec.started_by_pid, now}));
    const std::int64_t id = database.last_id();
    TRY(insert_spec_parts(database, id, spec));
    TRY_ASSIGN(model::Run run, read_run(database, id));
    TRY(insert_verdict(database, run, queued(), now));
    TRY_ASSIGN(run, read_run(database, id));
    TRY(impl_->append_text(lease, id, "run.claimed", "name", spec.name));
    TRY(transaction.commit());
    return run;
}

Result<model::Run> Ledger::revise_claim(std::int64_t id, const model::RunSpec& spec) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    Database& database = *impl_->database;
    TRY_ASSIGN(model::Run run, read_run(database, id));
    if (run.identity.pid != 0 || run.attempt > 1) {
        return Error{Code::exists, "run " + printable(run.spec.name) + " was started: what it was started with stands"};
    }
    TRY(database.run(
        "UPDATE runs SET activate = ?, code_hash = ?, run_dir = ?, work_dir = ?, gpus = ?, driver = ?, scratch = ?,"
        " started_by_pid = ? WHERE id = ?",
        {spec.activate, spec.code_hash, Bytes{spec.run_dir}, Bytes{spec.work_dir}, spec.gpus, spec.driver, spec.scratch,
         spec.started_by_pid, id}));
    TRY(replace_spec_parts(database, id, spec));
    TRY_ASSIGN(run, read_run(database, id));
    TRY(transaction.commit());
    return run;
}

Result<model::Run> Ledger::claim_attempt(std::int64_t id, const model::RunSpec& spec) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    Database& database = *impl_->database;
    TRY_ASSIGN(model::Run run, read_run(database, id));
    if (!model::is_terminal(run.verdict.kind)) {
        return Error{Code::exists, "run " + printable(run.spec.name) + " is not known to have ended (" +
                                       std::string{model::name_of(run.verdict.kind)} + ")"}
            .then("drawhitch ps");
    }
    const std::int64_t now = impl_->now_ns();
    TRY(
        database.run("UPDATE runs SET attempt = attempt + 1, activate = ?, code_hash = ?, run_dir = ?, work_dir = ?,"
                     " gpus = ?, driver = ?, scratch = ?, started_by_pid = ?, pid = 0, pgid = 0, start_ticks = 0,"
                     " boot_id = '', confirmed = 0 WHERE id = ?",
                     {spec.activate, spec.code_hash, Bytes{spec.run_dir}, Bytes{spec.work_dir}, spec.gpus, spec.driver,
                      spec.scratch, spec.started_by_pid, id}));
    TRY(replace_spec_parts(database, id, spec));
    ++run.attempt;
    TRY(insert_verdict(database, run, queued(), now));
    TRY_ASSIGN(run, read_run(database, id));
    TRY(impl_->append_text(run.lease, id, "run.attempt", "number", std::to_string(run.attempt)));
    TRY(transaction.commit());
    return run;
}

Status Ledger::drop_claim(std::int64_t id, const std::string& reason) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(const model::Run run, read_run(*impl_->database, id));
    if (run.identity.pid != 0 || run.attempt > 1) {
        return Error{Code::exists, "run " + printable(run.spec.name) + " was started, so its name stays taken"};
    }
    TRY_ASSIGN(
        const auto changed,
        impl_->database->run("UPDATE runs SET dropped_ns = ?, dropped_reason = ? WHERE id = ? AND dropped_ns IS NULL",
                             {impl_->now_ns(), reason, id}));
    if (changed == 0) return ok();
    TRY(impl_->append_text(run.lease, id, "run.dropped", "reason", reason));
    return transaction.commit();
}

Status Ledger::record_identity(std::int64_t run, const model::RunIdentity& identity) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(const auto changed,
               impl_->database->run("UPDATE runs SET pid = ?, pgid = ?, start_ticks = ?, boot_id = ? WHERE id = ?",
                                    {identity.pid, identity.pgid, identity.start_ticks, identity.boot_id, run}));
    TRY(expect_run(changed, run));
    return transaction.commit();
}

Status Ledger::declare_roster(std::int64_t id, const model::Roster& items) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(const model::Run run, read_run(*impl_->database, id));
    for (const model::RosterItem& item : items) {
        TRY_ASSIGN(const auto added,
                   impl_->database->run("INSERT INTO run_roster (run, at, pattern, wanted) SELECT ?1,"
                                        " (SELECT coalesce(max(at) + 1, 0) FROM run_roster WHERE run = ?1), ?2, ?3"
                                        " WHERE NOT EXISTS (SELECT 1 FROM run_roster WHERE run = ?1 AND pattern = ?2"
                                        " AND wanted = ?3)",
                                        {id, Bytes{item.pattern}, model::name_of(item.wanted)}));
        if (added > 0) TRY(impl_->append_text(run.lease, id, "run.declared", "pattern", printable(item.pattern)));
    }
    return transaction.commit();
}

Status Ledger::confirm_run(std::int64_t run) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(const auto changed, impl_->database->run("UPDATE runs SET confirmed = 1 WHERE id = ?", {run}));
    TRY(expect_run(changed, run));
    return transaction.commit();
}

Status Ledger::record_verdict(std::int64_t id, const model::Verdict& verdict) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(const model::Run run, read_run(*impl_->database, id));
    TRY(insert_verdict(*impl_->database, run, verdict, impl_->now_ns()));
    return transaction.commit();
}

Result<model::Run> Ledger::run(std::int64_t id) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    return read_run(*impl_->database, id);
}

Result<model::Run> Ledger::run_by_name(std::int64_t lease, std::string_view name) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    TRY_ASSIGN(auto found,
               read_runs(*impl_->database, "WHERE lease = ? AND name = ? AND dropped_ns IS NULL", {lease, name}));
    if (!found.empty()) return std::move(found.front());
    std::string ps = "drawhitch ps";
    TRY(impl_->database->each("SELECT name FROM leases WHERE id = ?", {lease}, [&](const Row& row) {
        ps += " " + row.text(0);
        return ok();
    }));
    return Error{Code::not_found, "no run is called " + printable(name)}.then(std::move(ps));
}

Result<std::vector<model::Run>> Ledger::runs(std::int64_t lease) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    return read_runs(*impl_->database, "WHERE lease = ? AND dropped_ns IS NULL ORDER BY id", {lease});
}

}  // namespace drawhitch::ledger
