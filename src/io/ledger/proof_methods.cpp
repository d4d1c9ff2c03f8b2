// Manifests, receipts and copies.
#include <string>

#include "io/ledger/impl.hpp"

namespace drawhitch::ledger {

namespace {

// The nine columns every table of files shares, in this order.
Result<model::ManifestEntry> read_file(const Row& row, int first) {
    model::ManifestEntry file{};
    file.unit = row.text(first);
    file.path = row.text(first + 1);
    file.size = static_cast<std::uint64_t>(row.integer(first + 2));
    file.mtime = {row.integer(first + 3), static_cast<std::int32_t>(row.integer(first + 4))};
    file.root = row.text(first + 5);
    file.sha256 = row.text(first + 6);
    const std::string word = row.text(first + 7);
    const auto wanted = model::roster_class(word);
    if (!wanted) return unknown_word("roster class", word);
    file.wanted = *wanted;
    return file;
}

Result<model::ReceiptEntry> read_proven(const Row& row, int first) {
    model::ReceiptEntry entry{};
    TRY_ASSIGN(entry.file, read_file(row, first));
    entry.local_path = row.text(first + 8);
    const std::string word = row.text(first + 9);
    const auto structure = model::structure(word);
    if (!structure) return unknown_word("structure", word);
    entry.structure = *structure;
    return entry;
}

Status insert_receipt_file(Database& database, std::int64_t receipt, std::int64_t at,
                           const model::ReceiptEntry& entry) {
    const model::ManifestEntry& file = entry.file;
    TRY(database.run(
        "INSERT INTO receipt_files (receipt, at, unit, path, size, mtime_s, mtime_ns, root, sha256, wanted,"
        " local_path, structure) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {receipt, at, Bytes{file.unit}, Bytes{file.path}, file.size, file.mtime.seconds, file.mtime.nanoseconds,
         file.root, file.sha256, model::name_of(file.wanted), Bytes{entry.local_path},
         model::name_of(entry.structure)}));
    return ok();
}

HeldFile read_held(const Row& row) {
    HeldFile held{};
    held.run = row.integer(0);
    held.path = row.text(1);
    held.root = row.text(2);
    held.written = row.integer(3) != 0;
    held.size = static_cast<std::uint64_t>(row.integer(4));
    held.stamp = {static_cast<std::uint64_t>(row.integer(5)), held.size, row.integer(6), row.integer(7)};
    return held;
}

}  // namespace

Result<std::int64_t> Ledger::add_manifest(std::int64_t run, std::span<const model::ManifestEntry> entries) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    Database& database = *impl_->database;
    TRY(database.run("INSERT INTO manifests (run, made_ns) VALUES (?, ?)", {run, impl_->now_ns()}));
    const std::int64_t id = database.last_id();
    std::int64_t at = 0;
    for (const model::ManifestEntry& file : entries) {
        TRY(database.run(
            "INSERT INTO manifest_files (manifest, at, unit, path, size, mtime_s, mtime_ns, root, sha256, wanted)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            {id, at++, Bytes{file.unit}, Bytes{file.path}, file.size, file.mtime.seconds, file.mtime.nanoseconds,
             file.root, file.sha256, model::name_of(file.wanted)}));
    }
    TRY(transaction.commit());
    return id;
}

Result<std::optional<Manifest>> Ledger::latest_manifest(std::int64_t run) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::optional<Manifest> manifest{};
    TRY(impl_->database->each("SELECT id, made_ns FROM manifests WHERE run = ? ORDER BY id DESC LIMIT 1", {run},
                              [&](const Row& row) {
                                  manifest = Manifest{row.integer(0), run, from_ns(row.integer(1)), {}};
                                  return ok();
                              }));
    if (!manifest) return manifest;
    TRY(
        impl_->database->each("SELECT unit, path, size, mtime_s, mtime_ns, root, sha256, wanted FROM manifest_files"
                              " WHERE manifest = ? ORDER BY at",
                              {manifest->id}, [&](const Row& row) -> Status {
                                  TRY_ASSIGN(model::ManifestEntry file, read_file(row, 0));
                                  manifest->entries.push_back(std::move(file));
                                  return ok();
                              }));
    return manifest;
}

Result<model::Receipt> Ledger::add_receipt(model::Receipt receipt) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    Database& database = *impl_->database;
    const std::int64_t now = impl_->now_ns();
    TRY(database.run("INSERT INTO receipts (lease, run, made_ns, directory) VALUES (?, ?, ?, ?)",
                     {receipt.lease, receipt.run, now, Bytes{receipt.directory}}));
    receipt.id = database.last_id();
    receipt.made = from_ns(now);
    std::int64_t at = 0;
    for (const model::ReceiptEntry& entry : receipt.files)
        TRY(insert_receipt_file(database, receipt.id, at++, entry));
    TRY(impl_->append_text(receipt.lease, receipt.run, "receipt", "files", std::to_string(receipt.files.size())));
    TRY(transaction.commit());
    return receipt;
}

Result<bool> Ledger::received_into(std::int64_t run, std::string_view directory) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    bool found = false;
    TRY(impl_->database->each("SELECT 1 FROM receipts WHERE run = ? AND directory = ? LIMIT 1", {run, Bytes{directory}},
                              [&](const Row&) {
                                  found = true;
                                  return ok();
                              }));
    return found;
}

Result<std::vector<model::Receipt>> Ledger::receipts(std::int64_t run) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::vector<model::Receipt> receipts{};
    TRY(impl_->database->each(
        "SELECT id, lease, run, made_ns, directory FROM receipts WHERE run = ? ORDER BY id DESC", {run},
        [&](const Row& row) {
            receipts.push_back(
                {row.integer(0), row.integer(1), row.integer(2), from_ns(row.integer(3)), row.text(4), {}});
            return ok();
        }));
    for (model::Receipt& receipt : receipts) {
        TRY(impl_->database->each(
            "SELECT unit, path, size, mtime_s, mtime_ns, root, sha256, wanted, local_path, structure"
            " FROM receipt_files WHERE receipt = ? ORDER BY at",
            {receipt.id}, [&](const Row& row) -> Status {
                TRY_ASSIGN(model::ReceiptEntry entry, read_proven(row, 0));
                receipt.files.push_back(std::move(entry));
                return ok();
            }));
    }
    return receipts;
}

Result<std::vector<ProvenFile>> Ledger::covered(std::int64_t run) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::vector<ProvenFile> files{};
    TRY(impl_->database->each(
        "SELECT f.unit, f.path, f.size, f.mtime_s, f.mtime_ns, f.root, f.sha256, f.wanted, f.local_path, f.structure,"
        " r.id, r.made_ns FROM receipt_files f JOIN receipts r ON r.id = f.receipt WHERE r.run = ?1 AND NOT EXISTS"
        " (SELECT 1 FROM receipt_files g JOIN receipts s ON s.id = g.receipt WHERE s.run = ?1 AND g.path = f.path AND"
        " g.root = f.root AND g.local_path = f.local_path AND (s.id > r.id OR (s.id = r.id AND g.at > f.at)))"
        " ORDER BY r.id DESC, f.at",
        {run}, [&](const Row& row) -> Status {
            ProvenFile proven{};
            TRY_ASSIGN(proven.entry, read_proven(row, 0));
            proven.receipt = row.integer(10);
            proven.made = from_ns(row.integer(11));
            files.push_back(std::move(proven));
            return ok();
        }));
    return files;
}

Status Ledger::hold_files(std::int64_t run, std::span<const HeldFile> files) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    for (const HeldFile& file : files) {
        TRY(impl_->database->run(
            "INSERT INTO held_files (run, path, root, written, size, ino, mtime_ns, ctime_ns)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, path) DO UPDATE SET"
            " written = excluded.written OR (written AND root = excluded.root), root = excluded.root,"
            " size = excluded.size, ino = excluded.ino, mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns",
            {run, Bytes{file.path}, file.root, file.written ? 1 : 0, file.size,
             static_cast<std::int64_t>(file.stamp.ino), file.stamp.mtime_ns, file.stamp.ctime_ns}));
    }
    return transaction.commit();
}

Result<std::vector<HeldFile>> Ledger::held_at(std::string_view path) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::vector<HeldFile> files{};
    TRY(impl_->database->each(
        "SELECT run, path, root, written, size, ino, mtime_ns, ctime_ns FROM held_files WHERE path = ?", {Bytes{path}},
        [&](const Row& row) {
            files.push_back(read_held(row));
            return ok();
        }));
    return files;
}

Result<std::map<std::string, HeldFile>> Ledger::held_files(std::int64_t run) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::map<std::string, HeldFile> files{};
    TRY(impl_->database->each(
        "SELECT run, path, root, written, size, ino, mtime_ns, ctime_ns FROM held_files WHERE run = ?", {run},
        [&](const Row& row) {
            HeldFile held = read_held(row);
            files.emplace(held.path, std::move(held));
            return ok();
        }));
    return files;
}

Status Ledger::add_load_test(const LoadTestKey& passed) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY(impl_->database->run("INSERT OR REPLACE INTO load_tests (subject, command, passed_ns) VALUES (?, ?, ?)",
                             {passed.subject, passed.command, impl_->now_ns()}));
    return transaction.commit();
}

Status Ledger::forget_load_test(const LoadTestKey& failed) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    TRY(impl_->database->run("DELETE FROM load_tests WHERE subject = ? AND command = ?",
                             {failed.subject, failed.command}));
    return transaction.commit();
}

Result<bool> Ledger::load_test_passed(const LoadTestKey& key) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    bool found = false;
    TRY(impl_->database->each("SELECT 1 FROM load_tests WHERE subject = ? AND command = ?", {key.subject, key.command},
                              [&](const Row&) {
                                  found = true;
                                  return ok();
                              }));
    return found;
}

Status Ledger::add_copy(const PlacedCopy& copy) {
    TRY_ASSIGN(Transaction transaction, impl_->begin(Access::write));
    const model::ManifestEntry& file = copy.file;
    const std::int64_t at = copy.read_back == WallTime{} ? impl_->now_ns() : to_ns(copy.read_back);
    TRY(impl_->database->run(
        "INSERT INTO copies (run, unit, path, size, mtime_s, mtime_ns, root, sha256, wanted, place,"
        " read_back_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {copy.run, Bytes{file.unit}, Bytes{file.path}, file.size, file.mtime.seconds, file.mtime.nanoseconds, file.root,
         file.sha256, model::name_of(file.wanted), copy.place, at}));
    return transaction.commit();
}

Result<std::vector<PlacedCopy>> Ledger::copies(std::int64_t run) const {
    TRY_ASSIGN(const Transaction transaction, impl_->begin(Access::read));
    std::vector<PlacedCopy> copies{};
    TRY(
        impl_->database->each("SELECT unit, path, size, mtime_s, mtime_ns, root, sha256, wanted, place, read_back_ns"
                              " FROM copies WHERE run = ? ORDER BY id",
                              {run}, [&](const Row& row) -> Status {
                                  PlacedCopy copy{};
                                  copy.run = run;
                                  TRY_ASSIGN(copy.file, read_file(row, 0));
                                  copy.place = row.text(8);
                                  copy.read_back = from_ns(row.integer(9));
                                  copies.push_back(std::move(copy));
                                  return ok();
                              }));
    return copies;
}

}  // namespace drawhitch::ledger
