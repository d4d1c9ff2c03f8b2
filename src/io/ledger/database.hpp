// The thin layer over SQLite: one connection, bound statements, transactions. sqlite3.h is included by sources of this
// room only. Nothing here knows a table.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/op.hpp"
#include "base/result.hpp"
#include "io/ledger/state_dir.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace drawhitch::ledger {

// Marks text that is bytes: stored as a BLOB, byte for byte.
struct Bytes {
    std::string_view view{};
};

// One bound value. The text behind it must live until the statement has run.
class Value {
  public:
    enum class Kind { null, integer, real, text, bytes };

    Value() = default;
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    Value(T number) : kind_(Kind::integer), integer_(static_cast<std::int64_t>(number)) {}  // NOLINT
    Value(double number) : kind_(Kind::real), real_(number) {}                              // NOLINT
    Value(std::string_view text) : kind_(Kind::text), text_(text) {}                        // NOLINT
    Value(const std::string& text) : kind_(Kind::text), text_(text) {}                      // NOLINT
    Value(const char* text) : kind_(Kind::text), text_(text) {}                             // NOLINT
    Value(Bytes bytes) : kind_(Kind::bytes), text_(bytes.view) {}                           // NOLINT
    template <class T>
    Value(const std::optional<T>& value) {  // NOLINT
        if (value) *this = Value{*value};
    }

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] std::int64_t integer() const { return integer_; }
    [[nodiscard]] double real() const { return real_; }
    [[nodiscard]] std::string_view text() const { return text_; }

  private:
    Kind kind_{Kind::null};
    std::int64_t integer_{0};
    double real_{0};
    std::string_view text_{};
};

using Values = std::initializer_list<Value>;

// One row of an answer, valid inside the callback only. Columns count from 0.
class Row {
  public:
    explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
    [[nodiscard]] bool null(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string text(int column) const;  // text or bytes

  private:
    sqlite3_stmt* statement_;
};

// How long a statement waits for another process, and what ends the wait early.
struct Patience {
    const Cancel* cancel{nullptr};
    Clock* clock{nullptr};
};

// One connection to one file. Not thread-safe by itself: Transaction holds its mutex.
class Database {
  public:
    // The file exists and is the caller's. `vfs` is the name of a registered SQLite file layer, empty for the usual.
    static Result<std::unique_ptr<Database>> open(const std::string& path, const std::string& vfs, Patience patience);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    // Runs several statements without values.
    Status script(std::string_view sql);
    // The same for a statement that SQLite refuses at once where others wait (a change of the journal mode).
    Status script_patiently(std::string_view sql);
    // One statement with values; returns the number of rows it changed.
    Result<std::int64_t> run(std::string_view sql, Values values = {});
    // One query; the callback's Error ends it.
    Status each(std::string_view sql, Values values, const std::function<Status(const Row&)>& callback);
    // The integer of the first row's first column, if there is a row.
    Result<std::optional<std::int64_t>> integer(std::string_view sql, Values values = {});
    [[nodiscard]] std::int64_t last_id() const;

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    friend class Transaction;
    Database(std::string path, Patience patience) : path_(std::move(path)), patience_(patience) {}
    Result<sqlite3_stmt*> prepare(std::string_view sql, Values values);
    Error failure(int code);
    static int on_busy(void* self, int waits);

    std::string path_;
    Patience patience_;
    Cancel never_{};
    sqlite3* handle_{nullptr};
    std::mutex mutex_{};
};

enum class Access { read, write };

// One transaction and the connection's mutex. Rolled back unless `commit` was called and succeeded.
class Transaction {
  public:
    static Result<Transaction> begin(Database& database, Access access);
    Transaction(Transaction&& other) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    Status commit();

  private:
    Transaction(Database& database, std::unique_lock<std::mutex> lock) : database_(&database), lock_(std::move(lock)) {}
    Database* database_;
    std::unique_lock<std::mutex> lock_;
};

}  // namespace drawhitch::ledger
