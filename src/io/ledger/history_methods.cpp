// Intents, events, samples and trust.
#include <string>

#include "base/text.hpp"
#include "io/ledger/impl.hpp"

namespace drawhitch::ledger {

namespace {

Result<std::vector<Intent>> read_intents(Database& database, std::string_view rest, Values values) {
    std::vector<Intent> intents{};
    const std::string sql =
        std::string{"SELECT id, lease, label, verb, detail, made_ns, settled_ns, outcome, outcome_detail FROM intents "}
            .append(rest);
    TRY(database.each(sql, values, [&](const Row& row) {
        Intent intent{};
        intent.id = row.integer(0);
        if (!row.null(1)) intent.lease = row.integer(1);
        intent.label = row.text(2);
        intent.verb = row.text(3);
        intent.detail = row.text(4);
        intent.made = from_ns(row.integer(5));
        if (!row.null(6)) intent.settled = from_ns(row.integer(6));
        intent.outcome = row.text(7);
        intent.outcome_detail = row.text(8);
        intents.push_back(std::move(intent));
        return ok();
    }));
    return intents;
}

}  // namespace

Result<std::int64_t> Ledger::intend(const Intent& intent) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    Database& database = *impl_->database;
    TRY_ASSIGN(const auto taken, database.integer("SELECT id FROM intents WHERE label = ?", {intent.label}));
    if (taken) return Error{Code::exists, "an intent is already labelled " + printable(intent.label)};
    TRY(
        database.run("INSERT INTO intents (lease, label, verb, detail, made_ns, outcome, outcome_detail)"
                     " VALUES (?, ?, ?, ?, ?, '', '')",
                     {intent.lease, intent.label, intent.verb, intent.detail, impl_->now_ns()}));
    const std::int64_t id = database.last_id();
    TRY(transaction.commit());
    return id;
}

Status Ledger::settle(std::int64_t intent, const std::string& outcome, const std::string& detail) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(const auto changed,
               impl_->database->run("UPDATE intents SET settled_ns = ?, outcome = ?, outcome_detail = ?"
                                    " WHERE id = ? AND settled_ns IS NULL",
                                    {impl_->now_ns(), outcome, detail, intent}));
    if (changed == 0) return no_such("open intent", intent);
    return transaction.commit();
}

Result<std::vector<Intent>> Ledger::open_intents() const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    return read_intents(*impl_->database, "WHERE settled_ns IS NULL ORDER BY id", {});
}

Result<std::optional<Intent>> Ledger::find_intent(std::string_view label) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    TRY_ASSIGN(auto found, read_intents(*impl_->database, "WHERE label = ?", {label}));
    if (found.empty()) return std::optional<Intent>{};
    return std::optional{std::move(found.front())};
}

Status Ledger::append_event(std::optional<std::int64_t> lease, std::optional<std::int64_t> run, const std::string& kind,
                            const std::string& json) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY(impl_->append(lease, run, kind, json));
    return transaction.commit();
}

Result<std::vector<Event>> Ledger::events(std::int64_t lease, std::int64_t after, std::size_t most) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::vector<Event> events{};
    TRY(impl_->database->each(
        "SELECT id, lease, run, at_ns, kind, json FROM events WHERE lease = ? AND id > ? ORDER BY id LIMIT ?",
        {lease, after, most}, [&](const Row& row) {
            Event event{row.integer(0), row.integer(1), {}, from_ns(row.integer(3)), row.text(4), row.text(5)};
            if (!row.null(2)) event.run = row.integer(2);
            events.push_back(std::move(event));
            return ok();
        }));
    return events;
}

Status Ledger::add_samples(std::int64_t lease, const std::string& series, std::span<const Sample> samples) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    for (const Sample& sample : samples) {
        TRY(
            impl_->database->run("INSERT INTO samples (lease, series, at_ns, value) VALUES (?, ?, ?, ?)"
                                 " ON CONFLICT (lease, series, at_ns) DO UPDATE SET value = excluded.value",
                                 {lease, series, to_ns(sample.at), sample.value}));
    }
    return transaction.commit();
}

Result<std::vector<Sample>> Ledger::samples(std::int64_t lease, std::string_view series, WallTime since) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::vector<Sample> samples{};
    TRY(impl_->database->each(
        "SELECT at_ns, value FROM samples WHERE lease = ? AND series = ? AND at_ns >= ? ORDER BY at_ns",
        {lease, series, to_ns(since)}, [&](const Row& row) {
            samples.push_back({from_ns(row.integer(0)), row.real(1)});
            return ok();
        }));
    return samples;
}

Status Ledger::trust(const std::string& path, const std::string& sha256) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY(
        impl_->database->run("INSERT INTO trust (path, sha256, at_ns) VALUES (?, ?, ?)"
                             " ON CONFLICT (path) DO UPDATE SET sha256 = excluded.sha256, at_ns = excluded.at_ns",
                             {Bytes{path}, sha256, impl_->now_ns()}));
    return transaction.commit();
}

Result<std::optional<std::string>> Ledger::trusted_hash(std::string_view path) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::optional<std::string> hash{};
    TRY(impl_->database->each("SELECT sha256 FROM trust WHERE path = ?", {Bytes{path}}, [&](const Row& row) {
        hash = row.text(0);
        return ok();
    }));
    return hash;
}

Status Ledger::distrust(std::string_view path) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY(impl_->database->run("DELETE FROM trust WHERE path = ?", {Bytes{path}}));
    return transaction.commit();
}

}  // namespace drawhitch::ledger
