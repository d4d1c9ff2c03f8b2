// Which lease a word of the user means. "b1" is the open lease of that name; "b1@3" is lease 3, which was called b1,
// and it may have ended: while its box is still there under the same key, what it left can be read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/model/lease.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

// What to type for this lease: its name while it is open, else with its number.
std::string word_of(const model::Lease& lease);

// Whether it looks like BOX@LEASE.
bool is_numbered(std::string_view word);
Error no_such_lease(std::string_view word);

// Where a box is only read. Code::not_found with the word to type instead; the Codes of the ledger.
Result<model::Lease> lease_to_read(const ledger::Ledger& ledger, const std::string& word);
// Where anything is changed: the lease must be open. Code::usage for one that has ended.
Result<model::Lease> lease_to_change(const ledger::Ledger& ledger, const std::string& word);
// Where only the ledger is read: also the newest lease of a name, and with `numbers` a number by itself where no box is
// called so.
Result<std::optional<model::Lease>> find_lease_word(const ledger::Ledger& ledger, const std::string& word,
                                                    bool numbers = false);

}  // namespace drawhitch::flow
