// A life of a box in steps, each one method of the ledger, and a dump of everything the ledger holds. Tests compare
// the dump after a fault with the dumps of an undisturbed life.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/ledger/ledger.hpp"

namespace drawhitch::ledger_test {

using Step = std::function<Status(ledger::Ledger&)>;

// Every changing method at least once, in an order that makes sense; ids are those of a new ledger.
std::vector<Step> workload();

// Calls every reading method for whatever leases and runs exist; the first Error, if any.
Status read_everything(const ledger::Ledger& ledger);

// What SQLite's own integrity check and foreign key check say ("ok"), and all rows of all tables as SQL literals.
std::string dump(const std::string& database_path);

model::Lease lease_called(const std::string& name);
model::RunSpec spec_called(const std::string& name);
model::ManifestEntry file_at(const std::string& path, char digest, std::uint64_t size = 10);
model::HostKey key_of(const std::string& blob);

}  // namespace drawhitch::ledger_test
