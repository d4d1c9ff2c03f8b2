#include "io/ledger/ledger.hpp"

#include "base/text.hpp"
#include "io/ledger/file_check.hpp"
#include "io/ledger/impl.hpp"
#include "io/ledger/schema.hpp"

namespace drawhitch::ledger {

namespace {

constexpr std::int64_t k_ns = 1'000'000'000;

Status set_up(Database& database, FilesystemKind filesystem) {
    TRY(database.script("PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;"));
    // The write-ahead log needs memory shared between processes, which a network filesystem does not give.
    const char* journal =
        filesystem == FilesystemKind::local ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=DELETE";
    TRY(database.script_patiently(journal));
    TRY(database.script("PRAGMA synchronous=FULL"));
#if defined(__APPLE__)
    // There fsync does not reach the medium.
    TRY(database.script("PRAGMA fullfsync=ON; PRAGMA checkpoint_fullfsync=ON"));
#endif
    return ok();
}

Error foreign_database(const std::string& path) {
    return Error{Code::ledger, "this is another program's database, not a ledger: " + printable(path)}.then(
        "mv -i " + shell_quote(path) + " " + shell_quote(path + ".other"));
}

// 0 for an empty file; Code::ledger when the file is not a ledger, or is newer than this program.
Result<int> checked_version(Database& database) {
    TRY_ASSIGN(const auto version, database.integer("PRAGMA user_version"));
    TRY_ASSIGN(const auto application, database.integer("PRAGMA application_id"));
    TRY_ASSIGN(const auto tables, database.integer("SELECT count(*) FROM sqlite_schema"));
    if (version.value_or(0) == 0 && application.value_or(0) == 0 && tables.value_or(0) == 0) return 0;
    if (application != k_application_id || version.value_or(0) < 1) return foreign_database(database.path());
    if (*version > k_schema_version) {
        return Error{Code::ledger, "the ledger was written by a newer drawhitch (schema " + std::to_string(*version) +
                                       ", this one knows " + std::to_string(k_schema_version) + ")"}
            .because("an older program would lose what it does not know: " + printable(database.path()))
            .then("drawhitch version");
    }
    return static_cast<int>(*version);
}

// The same in one snapshot: a first start beside this one would be seen half done, as another program's database.
Result<int> seen_version(Database& database) {
    TRY_ASSIGN(const Transaction look, Transaction::begin(database, Access::read));
    return checked_version(database);
}

Status stamp(Database& database) {
    return database.script("PRAGMA application_id=" + std::to_string(k_application_id) +
                           "; PRAGMA user_version=" + std::to_string(k_schema_version));
}

// Creates or migrates in one transaction, so that two processes at once do it once, and a killed one not at all.
Status bring_up_to_date(Database& database) {
    TRY_ASSIGN(const int seen, seen_version(database));
    if (seen == k_schema_version) return ok();
    TRY_ASSIGN(Transaction transaction, Transaction::begin(database, Access::write));
    TRY_ASSIGN(const int version, checked_version(database));
    if (version == k_schema_version) return ok();
    if (version == 0) {
        TRY(database.script(k_schema));
    } else {
        for (std::size_t at = static_cast<std::size_t>(version) - 1; at < k_migrations.size(); ++at)
            TRY(database.script(k_migrations[at]));
    }
    TRY(stamp(database));
    return transaction.commit();
}

}  // namespace

Ledger::Ledger(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

Result<Ledger> Ledger::open(const Op& op, const std::string& state_dir, const Storage& storage) {
    TRY(prepare_state_dir(state_dir));
    const std::string path = state_dir + "/ledger.db";
    auto impl = std::make_unique<Impl>();
    TRY_ASSIGN(impl->looked_at, prepare_file(state_dir, path));
    impl->state_dir = state_dir;
    impl->clock = &op.clock;
    TRY_ASSIGN(impl->database, Database::open(path, storage.vfs, Patience{&op.cancel, &op.clock}));
    // Another's file is refused before anything about it is changed, its journal mode included.
    TRY(seen_version(*impl->database));
    TRY(set_up(*impl->database, storage.filesystem.value_or(filesystem_of(state_dir))));
    TRY(bring_up_to_date(*impl->database));
    return Ledger{std::move(impl)};
}

const std::string& Ledger::state_dir() const {
    return impl_->state_dir;
}

std::int64_t Ledger::Impl::now_ns() const {
    return to_ns(clock->wall());
}

Status Ledger::Impl::append(std::optional<std::int64_t> lease, std::optional<std::int64_t> run, std::string_view kind,
                            std::string_view json) const {
    TRY(database->run("INSERT INTO events (lease, run, at_ns, kind, json) VALUES (?, ?, ?, ?, ?)",
                      {lease, run, now_ns(), kind, json}));
    return ok();
}

Status Ledger::Impl::append_text(std::optional<std::int64_t> lease, std::optional<std::int64_t> run,
                                 std::string_view kind, std::string_view name, std::string_view text) const {
    TRY(database->run("INSERT INTO events (lease, run, at_ns, kind, json) VALUES (?, ?, ?, ?, json_object(?, ?))",
                      {lease, run, now_ns(), kind, name, text}));
    return ok();
}

std::int64_t to_ns(WallTime time) {
    std::int64_t ns = 0;
    if (__builtin_mul_overflow(time.seconds, k_ns, &ns) ||
        __builtin_add_overflow(ns, static_cast<std::int64_t>(time.nanoseconds), &ns)) {
        return time.seconds < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    }
    return ns;
}

WallTime from_ns(std::int64_t ns) {
    std::int64_t seconds = ns / k_ns;
    std::int64_t rest = ns % k_ns;
    if (rest < 0) {
        rest += k_ns;
        --seconds;
    }
    return {seconds, static_cast<std::int32_t>(rest)};
}

Error unknown_word(std::string_view what, std::string_view word) {
    std::string text = "the ledger is damaged: unknown ";
    text.append(what).append(" '").append(printable(word)).append("'");
    return Error{Code::ledger, std::move(text)};
}

Error no_such(std::string_view what, std::int64_t id) {
    std::string text = "the ledger holds no ";
    text.append(what).append(" with number ").append(std::to_string(id));
    return Error{Code::not_found, std::move(text)};
}

}  // namespace drawhitch::ledger
