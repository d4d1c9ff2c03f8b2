#include "flow/pull_owner.hpp"

#include <algorithm>

#include "flow/hash_files.hpp"
#include "io/disk/set_aside.hpp"

namespace drawhitch::flow {

namespace {

Whose of_row(const ledger::HeldFile& row, std::int64_t run) {
    if (!row.written) return Whose::users;
    return row.run == run ? Whose::ours : Whose::another_run;
}

// Empty when it cannot be read whole: then nobody knows it.
Result<std::string> digest_of(const Op& op, const InTheWay& file) {
    if (file.digest) return file.digest->hex();
    TRY_ASSIGN(const auto hashed, hash_files(op, file.root, {file.path}, {}));
    return hashed.front().error ? std::string{} : hashed.front().digests.root.hex();
}

}  // namespace

Result<Whose> whose_is(const Op& op, const ledger::Ledger& ledger, std::int64_t run, const disk::LandingNotes& notes,
                       const InTheWay& file) {
    if (!S_ISREG(file.found.st_mode)) return Whose::users;  // a pull lands nothing but files
    const disk::Stamp stamp = disk::stamp_of(file.found);
    TRY_ASSIGN(auto rows, ledger.held_at(file.root.path() + "/" + file.path));
    for (const ledger::HeldFile& row : rows) {
        if (row.stamp == stamp) return of_row(row, run);
    }
    std::erase_if(rows, [&](const ledger::HeldFile& row) { return row.size != stamp.size; });
    const auto [first, last] = notes.put.equal_range(file.path);
    if (rows.empty() && first == last) return Whose::users;
    TRY_ASSIGN(const std::string digest, digest_of(op, file));
    if (digest.empty()) return Whose::users;
    if (std::any_of(first, last, [&](const auto& note) { return note.second == digest; })) return Whose::ours;
    Whose whose = Whose::users;
    for (const ledger::HeldFile& row : rows) {
        if (row.root != digest) continue;
        if (of_row(row, run) == Whose::ours) return Whose::ours;
        if (of_row(row, run) == Whose::another_run) whose = Whose::another_run;
    }
    return whose;
}

}  // namespace drawhitch::flow
