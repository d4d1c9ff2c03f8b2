#include "io/ledger/database.hpp"

#include <sqlite3.h>

#include "io/ledger/holder.hpp"
#include "io/ledger/sqlite_error.hpp"

namespace drawhitch::ledger {

namespace {

// A writer holds the ledger for milliseconds; one that holds it for this long is stopped or stuck.
constexpr milliseconds k_busy_step{50};
constexpr int k_waits = 100;
constexpr int k_waits_once_cancelled = 20;

struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementPtr = std::unique_ptr<sqlite3_stmt, Finalize>;

int bind(sqlite3_stmt* statement, int at, const Value& value) {
    const std::string_view text = value.text();
    // A view without memory would bind NULL, where an empty text is meant.
    const char* data = text.data() != nullptr ? text.data() : "";
    switch (value.kind()) {
        case Value::Kind::null:
            return sqlite3_bind_null(statement, at);
        case Value::Kind::integer:
            return sqlite3_bind_int64(statement, at, value.integer());
        case Value::Kind::real:
            return sqlite3_bind_double(statement, at, value.real());
        case Value::Kind::text:
            return sqlite3_bind_text64(statement, at, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
        case Value::Kind::bytes:
            return sqlite3_bind_blob64(statement, at, data, text.size(), SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

}  // namespace

bool Row::null(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Row::integer(int column) const {
    return sqlite3_column_int64(statement_, column);
}

double Row::real(int column) const {
    return sqlite3_column_double(statement_, column);
}

std::string Row::text(int column) const {
    const void* data = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    if (data == nullptr || size <= 0) return {};
    return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, const std::string& vfs, Patience patience) {
    std::unique_ptr<Database> database{new Database{path, patience}};
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_NOFOLLOW;
    const int code = sqlite3_open_v2(path.c_str(), &database->handle_, flags, vfs.empty() ? nullptr : vfs.c_str());
    if (database->handle_ == nullptr) return Error{Code::local_io, "out of memory while opening the ledger"};
    sqlite3_extended_result_codes(database->handle_, 1);
    if (code != SQLITE_OK) return database->failure(code);
    sqlite3_busy_handler(database->handle_, &Database::on_busy, database.get());
    return database;
}

Database::~Database() {
    sqlite3_close_v2(handle_);
}

int Database::on_busy(void* self, int waits) {
    const auto& database = *static_cast<Database*>(self);
    const Patience& patience = database.patience_;
    const bool cancelled = patience.cancel != nullptr && patience.cancel->requested();
    if (patience.clock == nullptr || waits >= (cancelled ? k_waits_once_cancelled : k_waits)) return 0;
    // Once cancelled, the real token would end each sleep at once; the notes written while leaving deserve a short
    // wait.
    patience.clock->sleep(k_busy_step, cancelled ? database.never_ : *patience.cancel);
    return 1;
}

Error Database::failure(int code) {
    const char* detail = handle_ != nullptr ? sqlite3_errmsg(handle_) : "out of memory";
    const int system_error = handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
    Error error = sqlite_failure(code, detail, path_, system_error);
    if (error.code != Code::locked) return error;
    if (const auto pid = holder_of(path_)) {
        error.message = "another drawhitch (pid " + std::to_string(*pid) + ") holds the ledger";
        error.next = "ps -p " + std::to_string(*pid) + " -o pid,etime,args";
    }
    return error;
}

Result<sqlite3_stmt*> Database::prepare(std::string_view sql, Values values) {
    sqlite3_stmt* made = nullptr;
    const int code = sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &made, nullptr);
    if (code != SQLITE_OK) return failure(code);
    int at = 0;
    for (const Value& value : values) {
        const int bound = bind(made, ++at, value);
        if (bound != SQLITE_OK) {
            sqlite3_finalize(made);
            return failure(bound);
        }
    }
    return made;
}

Status Database::script(std::string_view sql) {
    const int code = sqlite3_exec(handle_, std::string{sql}.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return failure(code);
    return ok();
}

Status Database::script_patiently(std::string_view sql) {
    const std::string text{sql};
    int waits = 0;
    int code = SQLITE_OK;
    do {
        code = sqlite3_exec(handle_, text.c_str(), nullptr, nullptr, nullptr);
    } while ((code & 0xff) == SQLITE_BUSY && on_busy(this, waits++) == 1);
    if (code != SQLITE_OK) return failure(code);
    return ok();
}

Result<std::int64_t> Database::run(std::string_view sql, Values values) {
    TRY_ASSIGN(sqlite3_stmt * made, prepare(sql, values));
    const StatementPtr statement{made};
    int code = SQLITE_ROW;
    while (code == SQLITE_ROW)
        code = sqlite3_step(made);
    if (code != SQLITE_DONE) return failure(code);
    return static_cast<std::int64_t>(sqlite3_changes(handle_));
}

Status Database::each(std::string_view sql, Values values, const std::function<Status(const Row&)>& callback) {
    TRY_ASSIGN(sqlite3_stmt * made, prepare(sql, values));
    const StatementPtr statement{made};
    for (;;) {
        const int code = sqlite3_step(made);
        if (code == SQLITE_DONE) return ok();
        if (code != SQLITE_ROW) return failure(code);
        TRY(callback(Row{made}));
    }
}

Result<std::optional<std::int64_t>> Database::integer(std::string_view sql, Values values) {
    std::optional<std::int64_t> found{};
    TRY(each(sql, values, [&](const Row& row) {
        if (!found && !row.null(0)) found = row.integer(0);
        return ok();
    }));
    return found;
}

std::int64_t Database::last_id() const {
    return sqlite3_last_insert_rowid(handle_);
}

Result<Transaction> Transaction::begin(Database& database, Access access) {
    std::unique_lock lock{database.mutex_};
    TRY(database.script(access == Access::write ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED"));
    return Transaction{database, std::move(lock)};
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)), lock_(std::move(other.lock_)) {}

Transaction::~Transaction() {
    // A failed statement may have rolled back already; then there is nothing to undo.
    if (database_ != nullptr && sqlite3_get_autocommit(database_->handle_) == 0) (void)database_->script("ROLLBACK");
}

Status Transaction::commit() {
    TRY(database_->script("COMMIT"));
    database_ = nullptr;
    return ok();
}

}  // namespace drawhitch::ledger
