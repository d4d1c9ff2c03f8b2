// Leases, host keys, volatile files and notes.
#include <string>

#include "base/text.hpp"
#include "io/ledger/impl.hpp"

namespace drawhitch::ledger {

namespace {

constexpr std::string_view k_lease_columns =
    "SELECT id, name, profile, profile_toml, transport, host, port, user, alias, identity_file, project, root,"
    " root_nonce, boot_id, helper_path, capabilities, state, began_ns, state_since_ns, last_contact_ns, price_hour,"
    " currency, state_reason FROM leases ";

std::string select(std::string_view rest) {
    return std::string{k_lease_columns}.append(rest);
}

Result<model::Endpoint> read_endpoint(const Row& row) {
    const std::string word = row.text(4);
    const auto kind = model::transport_kind(word);
    if (!kind) return unknown_word("transport", word);
    model::Endpoint endpoint{};
    endpoint.transport = *kind;
    endpoint.host = row.text(5);
    endpoint.port = static_cast<std::uint16_t>(row.integer(6));
    endpoint.user = row.text(7);
    endpoint.alias = row.text(8);
    endpoint.identity_file = row.text(9);
    return endpoint;
}

Result<model::Lease> read_lease(const Row& row) {
    model::Lease lease{};
    lease.id = row.integer(0);
    lease.name = row.text(1);
    lease.profile = row.text(2);
    lease.profile_toml = row.text(3);
    TRY_ASSIGN(lease.endpoint, read_endpoint(row));
    lease.project = row.text(10);
    lease.root = row.text(11);
    lease.root_nonce = row.text(12);
    lease.boot_id = row.text(13);
    lease.helper_path = row.text(14);
    lease.capabilities = row.text(15);
    const std::string word = row.text(16);
    const auto state = model::lease_state(word);
    if (!state) return unknown_word("lease state", word);
    lease.state = *state;
    lease.began = from_ns(row.integer(17));
    lease.state_since = from_ns(row.integer(18));
    lease.last_contact = from_ns(row.integer(19));
    if (!row.null(20)) lease.price_hour = row.real(20);
    lease.currency = row.text(21);
    lease.state_reason = row.text(22);
    return lease;
}

Result<std::vector<model::Lease>> read_leases(Database& database, std::string_view rest, Values values) {
    std::vector<model::Lease> leases{};
    TRY(database.each(select(rest), values, [&](const Row& row) -> Status {
        TRY_ASSIGN(model::Lease lease, read_lease(row));
        leases.push_back(std::move(lease));
        return ok();
    }));
    return leases;
}

// Code::not_found unless a change met its lease; closed leases are history and take no more changes.
Status expect_lease(Database& database, std::int64_t changed, std::int64_t lease) {
    if (changed > 0) return ok();
    TRY_ASSIGN(const auto known, database.integer("SELECT 1 FROM leases WHERE id = ?", {lease}));
    if (!known) return no_such("lease", lease);
    return Error{Code::not_found, "lease " + std::to_string(lease) + " is closed"};
}

Status insert_key(Database& database, std::int64_t lease, const model::HostKey& key, std::int64_t now) {
    const std::int64_t seen = key.seen == WallTime{} ? now : to_ns(key.seen);
    TRY(
        database.run("INSERT INTO host_keys (lease, type, blob, fingerprint, source, seen_ns, reason)"
                     " SELECT ?1, ?2, ?3, ?4, ?5, ?6, '' WHERE NOT EXISTS"
                     " (SELECT 1 FROM host_keys WHERE lease = ?1 AND blob = ?3 AND retired_ns IS NULL)",
                     {lease, key.type, Bytes{key.blob}, key.fingerprint, key.source, seen}));
    return ok();
}

Status insert_lease(Database& database, const model::Lease& lease) {
    const model::Endpoint& to = lease.endpoint;
    TRY(database.run(
        "INSERT INTO leases (name, profile, profile_toml, transport, host, port, user, alias, identity_file, project, "
        "root,"
        " root_nonce, boot_id, helper_path, capabilities, state, began_ns, state_since_ns, last_contact_ns, price_hour,"
        " currency, state_reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {lease.name,
         lease.profile,
         lease.profile_toml,
         model::name_of(to.transport),
         to.host,
         to.port,
         to.user,
         to.alias,
         Bytes{to.identity_file},
         lease.project,
         Bytes{lease.root},
         lease.root_nonce,
         lease.boot_id,
         Bytes{lease.helper_path},
         lease.capabilities,
         model::name_of(lease.state),
         to_ns(lease.began),
         to_ns(lease.state_since),
         to_ns(lease.last_contact),
         lease.price_hour,
         lease.currency,
         lease.state_reason}));
    return ok();
}

Error name_unknown(Database& database, std::string_view name) {
    std::vector<std::string> names{};
    const Status read = database.each("SELECT name FROM leases WHERE state <> 'closed' ORDER BY name LIMIT 20", {},
                                      [&](const Row& row) {
                                          names.push_back(printable(row.text(0)));
                                          return ok();
                                      });
    if (!read) return read.error();
    const auto ended = read_leases(database, "WHERE name = ? AND state = 'closed' LIMIT 1", {name});
    if (!ended) return ended.error();
    if (!ended->empty()) {
        return Error{Code::not_found, "the lease of " + printable(name) + " has ended"}
            .because("it was closed; only what is recorded here can still be shown")
            .then("drawhitch show " + shell_word(name));
    }
    Error error{Code::not_found, "no box is called " + printable(name)};
    if (names.empty()) return std::move(error).because("no box is known yet").then("drawhitch help adopt");
    return std::move(error).because("known boxes: " + join(names, ", ")).then("drawhitch ls");
}

}  // namespace

Result<model::Lease> Ledger::add_lease(const model::Lease& lease, std::span<const model::HostKey> keys) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    Database& database = *impl_->database;
    TRY_ASSIGN(const auto taken,
               database.integer("SELECT id FROM leases WHERE name = ? AND state <> 'closed'", {lease.name}));
    if (taken) {
        return Error{Code::exists, "a box is already called " + printable(lease.name)}.then("drawhitch show " +
                                                                                            shell_quote(lease.name));
    }
    model::Lease made = lease;
    const std::int64_t now = impl_->now_ns();
    made.last_contact = made.state_since = from_ns(now);
    if (made.began == WallTime{}) made.began = from_ns(now);
    TRY(insert_lease(database, made));
    made.id = database.last_id();
    for (const model::HostKey& key : keys)
        TRY(insert_key(database, made.id, key, now));
    TRY(impl_->append_text(made.id, std::nullopt, "lease.added", "name", made.name));
    TRY(transaction.commit());
    return made;
}

Result<model::Lease> Ledger::lease_by_name(std::string_view name) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    TRY_ASSIGN(auto found, read_leases(*impl_->database, "WHERE name = ? AND state <> 'closed'", {name}));
    if (!found.empty()) return std::move(found.front());
    return name_unknown(*impl_->database, name);
}

Result<std::optional<model::Lease>> Ledger::find_lease(std::string_view name) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    TRY_ASSIGN(auto found,
               read_leases(*impl_->database, "WHERE name = ? ORDER BY state = 'closed', id DESC LIMIT 1", {name}));
    if (found.empty()) return std::optional<model::Lease>{};
    return std::optional{std::move(found.front())};
}

Result<model::Lease> Ledger::lease(std::int64_t id) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    TRY_ASSIGN(auto found, read_leases(*impl_->database, "WHERE id = ?", {id}));
    if (found.empty()) return no_such("lease", id);
    return std::move(found.front());
}

Result<std::vector<model::Lease>> Ledger::leases(Which which) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    const char* rest = which == Which::open ? "WHERE state <> 'closed' ORDER BY id" : "ORDER BY id";
    return read_leases(*impl_->database, rest, {});
}

Status Ledger::update_endpoint(std::int64_t lease, const model::Endpoint& to) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(const auto changed,
               impl_->database->run("UPDATE leases SET transport = ?, host = ?, port = ?, user = ?, alias = ?,"
                                    " identity_file = ? WHERE id = ? AND state <> 'closed'",
                                    {model::name_of(to.transport), to.host, to.port, to.user, to.alias,
                                     Bytes{to.identity_file}, lease}));
    TRY(expect_lease(*impl_->database, changed, lease));
    TRY(impl_->append_text(lease, std::nullopt, "lease.endpoint", "host", to.host));
    return transaction.commit();
}

Status Ledger::set_root(std::int64_t lease, const std::string& project, const std::string& root,
                        const std::string& nonce) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(const auto changed, impl_->database->run("UPDATE leases SET project = ?, root = ?, root_nonce = ?"
                                                        " WHERE id = ? AND state <> 'closed'",
                                                        {project, Bytes{root}, nonce, lease}));
    TRY(expect_lease(*impl_->database, changed, lease));
    return transaction.commit();
}

Status Ledger::set_price(std::int64_t lease, std::optional<double> price_hour, const std::string& currency) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(const auto changed,
               impl_->database->run("UPDATE leases SET price_hour = ?, currency = ? WHERE id = ? AND state <> 'closed'",
                                    {price_hour, currency, lease}));
    TRY(expect_lease(*impl_->database, changed, lease));
    return transaction.commit();
}

Status Ledger::set_profile(std::int64_t lease, const std::string& profile, const std::string& profile_toml) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(
        const auto changed,
        impl_->database->run("UPDATE leases SET profile = ?, profile_toml = ? WHERE id = ? AND state <> 'closed'",
                             {profile, profile_toml, lease}));
    TRY(expect_lease(*impl_->database, changed, lease));
    TRY(impl_->append_text(lease, std::nullopt, "lease.profile", "profile", profile));
    return transaction.commit();
}

Status Ledger::record_box(std::int64_t lease, const BoxFacts& facts) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(
        const auto changed,
        impl_->database->run("UPDATE leases SET boot_id = CASE WHEN ?1 = '' THEN boot_id ELSE ?1 END,"
                             " helper_path = CASE WHEN length(?2) = 0 THEN helper_path ELSE ?2 END,"
                             " capabilities = CASE WHEN ?3 = '' THEN capabilities ELSE ?3 END,"
                             " last_contact_ns = ?4 WHERE id = ?5 AND state <> 'closed'",
                             {facts.boot_id, Bytes{facts.helper_path}, facts.capabilities, impl_->now_ns(), lease}));
    TRY(expect_lease(*impl_->database, changed, lease));
    return transaction.commit();
}

Status Ledger::contact(std::int64_t lease) {
    return record_box(lease, {});
}

Status Ledger::set_state(std::int64_t lease, model::LeaseState state, const std::string& reason) {
    if (state == model::LeaseState::closed) return close_lease(lease, reason);
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    const std::string_view word = model::name_of(state);
    // state_since tells when the state was entered, so entering it again does not move it.
    TRY_ASSIGN(
        const auto changed,
        impl_->database->run("UPDATE leases SET state_since_ns = CASE WHEN state = ?1 THEN state_since_ns ELSE ?2"
                             " END, state = ?1, state_reason = ?3 WHERE id = ?4 AND state <> 'closed'",
                             {word, impl_->now_ns(), reason, lease}));
    TRY(expect_lease(*impl_->database, changed, lease));
    TRY(impl_->append_text(lease, std::nullopt, "lease." + std::string{word}, "reason", reason));
    return transaction.commit();
}

Status Ledger::close_lease(std::int64_t lease, const std::string& reason) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY_ASSIGN(const auto changed,
               impl_->database->run("UPDATE leases SET state = 'closed', state_since_ns = ?, state_reason = ?"
                                    " WHERE id = ? AND state <> 'closed'",
                                    {impl_->now_ns(), reason, lease}));
    if (changed == 0) {
        TRY_ASSIGN(const auto known, impl_->database->integer("SELECT 1 FROM leases WHERE id = ?", {lease}));
        if (!known) return no_such("lease", lease);
        return ok();
    }
    TRY(impl_->database->run("DELETE FROM volatile_files WHERE lease = ?", {lease}));
    TRY(impl_->append_text(lease, std::nullopt, "lease.closed", "reason", reason));
    return transaction.commit();
}

Status Ledger::pin_host_key(std::int64_t lease, const model::HostKey& key) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY(insert_key(*impl_->database, lease, key, impl_->now_ns()));
    return transaction.commit();
}

Result<std::vector<PinnedKey>> Ledger::host_key_history(std::int64_t lease) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::vector<PinnedKey> keys{};
    TRY(impl_->database->each(
        "SELECT id, type, blob, fingerprint, source, seen_ns, retired_ns, reason FROM host_keys WHERE lease = ? ORDER "
        "BY id",
        {lease}, [&](const Row& row) {
            PinnedKey key{};
            key.id = row.integer(0);
            key.key = {row.text(1), row.text(2), row.text(3), row.text(4), from_ns(row.integer(5))};
            if (!row.null(6)) key.retired = from_ns(row.integer(6));
            key.reason = row.text(7);
            keys.push_back(std::move(key));
            return ok();
        }));
    return keys;
}

Result<std::vector<model::HostKey>> Ledger::host_keys(std::int64_t lease) const {
    TRY_ASSIGN(auto history, host_key_history(lease));
    std::vector<model::HostKey> keys{};
    for (PinnedKey& pinned : history) {
        if (!pinned.retired) keys.push_back(std::move(pinned.key));
    }
    return keys;
}

Status Ledger::replace_host_keys(std::int64_t lease, std::span<const model::HostKey> keys, const std::string& reason) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    const std::int64_t now = impl_->now_ns();
    TRY(impl_->database->run("UPDATE host_keys SET retired_ns = ?, reason = ? WHERE lease = ? AND retired_ns IS NULL",
                             {now, reason, lease}));
    for (const model::HostKey& key : keys)
        TRY(insert_key(*impl_->database, lease, key, now));
    TRY(impl_->append_text(lease, std::nullopt, "host_keys.replaced", "reason", reason));
    return transaction.commit();
}

Status Ledger::add_volatile(std::int64_t lease, const std::string& path, const std::string& what) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY(impl_->database->run(
        "INSERT INTO volatile_files (lease, path, what, made_ns) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (lease, path) DO UPDATE SET what = excluded.what, made_ns = excluded.made_ns",
        {lease, Bytes{path}, what, impl_->now_ns()}));
    return transaction.commit();
}

Status Ledger::forget_volatile(std::int64_t lease, const std::string& path) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY(impl_->database->run("DELETE FROM volatile_files WHERE lease = ? AND path = ?", {lease, Bytes{path}}));
    return transaction.commit();
}

Result<std::vector<VolatileFile>> Ledger::volatile_files(std::int64_t lease) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::vector<VolatileFile> files{};
    TRY(impl_->database->each("SELECT path, what, made_ns FROM volatile_files WHERE lease = ? ORDER BY path", {lease},
                              [&](const Row& row) {
                                  files.push_back({row.text(0), row.text(1), from_ns(row.integer(2))});
                                  return ok();
                              }));
    return files;
}

Status Ledger::set_note(std::int64_t lease, const std::string& key, const std::string& value) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY(
        impl_->database->run("INSERT INTO notes (lease, key, value) VALUES (?, ?, ?)"
                             " ON CONFLICT (lease, key) DO UPDATE SET value = excluded.value",
                             {lease, key, value}));
    return transaction.commit();
}

Result<std::optional<std::string>> Ledger::note(std::int64_t lease, std::string_view key) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::optional<std::string> value{};
    TRY(impl_->database->each("SELECT value FROM notes WHERE lease = ? AND key = ?", {lease, key}, [&](const Row& row) {
        value = row.text(0);
        return ok();
    }));
    return value;
}

}  // namespace drawhitch::ledger
