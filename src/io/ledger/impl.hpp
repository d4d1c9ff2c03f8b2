// What the sources of the ledger share: the connection, the clock and the translations of values. Private to the room.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "base/fd.hpp"
#include "io/ledger/database.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::ledger {

struct Ledger::Impl {
    std::string state_dir{};
    Clock* clock{nullptr};
    UniqueFd looked_at{};  // of prepare_file; closed after the database
    std::unique_ptr<Database> database{};

    [[nodiscard]] Result<Transaction> begin(Access access) const { return Transaction::begin(*database, access); }
    [[nodiscard]] std::int64_t now_ns() const;
    // Appends to the history inside the caller's transaction.
    Status append(std::optional<std::int64_t> lease, std::optional<std::int64_t> run, std::string_view kind,
                  std::string_view json) const;
    // The same with one member `name` of text, quoted by SQLite.
    Status append_text(std::optional<std::int64_t> lease, std::optional<std::int64_t> run, std::string_view kind,
                       std::string_view name, std::string_view text) const;
};

// Nanoseconds since 1970; what does not fit (before 1677, after 2262) becomes the nearest value that does.
std::int64_t to_ns(WallTime time);
WallTime from_ns(std::int64_t ns);

// A word in the file that this program does not know: the file is damaged.
Error unknown_word(std::string_view what, std::string_view word);

// Code::not_found for an id that is nowhere.
Error no_such(std::string_view what, std::int64_t id);

}  // namespace drawhitch::ledger
