// Ledger: the laptop's memory of every lease, run and proof: one SQLite file in the state directory. Each method is one
// transaction: after a crash at any moment it has happened whole, or not at all. Owns storage and nothing else: it
// decides nothing, and no SQL leaves this room. Secrets never enter it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/op.hpp"
#include "base/result.hpp"
#include "io/ledger/records.hpp"
#include "io/ledger/state_dir.hpp"

namespace drawhitch::ledger {

// How the file is kept; for tests. Users get the defaults.
struct Storage {
    std::optional<FilesystemKind> filesystem{};  // found by looking, unless set
    std::string vfs{};                           // name of a registered SQLite file layer; empty: the usual one
};

// Thread-safe: methods may be called from several threads and from several processes at once. Ids are positive and
// never used again. "now" is the wall clock of the Op given to `open`; that Op's clock and cancel token must outlive
// the Ledger. A method blocks while another process writes, 5 s at most (1 s once cancelled), then fails with
// Code::locked naming that process.
//
// Codes of every method: locked, no_space, read_only, local_io, ledger (damaged file). Methods that take an id or a
// name add not_found where the row does not exist, and exists where a claim is taken.
class Ledger {
  public:
    // Opens `state_dir`/ledger.db, creating directory (0700) and file (0600) and migrating an older schema as needed.
    // WAL with synchronous=FULL on local disks, a rollback journal on network filesystems.
    // Codes besides the above: permission (directory or file is another user's or open to others: `next` is the chmod
    // to type), read_only, no_space, unsafe_path (ledger.db is a symlink), ledger (not a database, or written by a
    // newer drawhitch).
    static Result<Ledger> open(const Op& op, const std::string& state_dir, const Storage& storage = {});

    Ledger(Ledger&&) noexcept;
    Ledger& operator=(Ledger&&) noexcept;
    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;
    ~Ledger();

    [[nodiscard]] const std::string& state_dir() const;

    // --- Leases. A name belongs to at most one lease that is not closed. ---

    // Stores the lease and pins its host keys together. `id`, `began`, `state_since` and `last_contact` are chosen here
    // (`began` only when it is zero). Code::exists when an open lease has the name.
    Result<model::Lease> add_lease(const model::Lease& lease, std::span<const model::HostKey> keys = {});
    // The open lease of that name. Code::not_found tells the names that exist.
    Result<model::Lease> lease_by_name(std::string_view name) const;
    // The open lease of that name, else the newest closed one, else none.
    Result<std::optional<model::Lease>> find_lease(std::string_view name) const;
    Result<model::Lease> lease(std::int64_t id) const;
    // Oldest first.
    Result<std::vector<model::Lease>> leases(Which which) const;
    Status update_endpoint(std::int64_t lease, const model::Endpoint& endpoint);
    Status set_root(std::int64_t lease, const std::string& project, const std::string& root, const std::string& nonce);
    Status set_price(std::int64_t lease, std::optional<double> price_hour, const std::string& currency);
    // The frozen text of the profile, when the user chose another one by adopting again.
    Status set_profile(std::int64_t lease, const std::string& profile, const std::string& profile_toml);
    Status record_box(std::int64_t lease, const BoxFacts& facts);
    // The box answered now.
    Status contact(std::int64_t lease);
    // Any state but closed; `reason` goes to the lease and into the events.
    Status set_state(std::int64_t lease, model::LeaseState state, const std::string& reason);
    // The end is proven, or the user said so. `reason` tells which. Forgets volatile files. Closing twice is no error.
    Status close_lease(std::int64_t lease, const std::string& reason);

    // --- Intents. ---

    // `label`, `verb`, `lease` and `detail` are read. Code::exists when the label was ever used.
    Result<std::int64_t> intend(const Intent& intent);
    Status settle(std::int64_t intent, const std::string& outcome, const std::string& detail = {});
    Result<std::vector<Intent>> open_intents() const;
    Result<std::optional<Intent>> find_intent(std::string_view label) const;

    // --- Host keys. ---

    // Adds one key to the lease's pinned keys; pinning an equal key again changes nothing.
    Status pin_host_key(std::int64_t lease, const model::HostKey& key);
    // The keys in force.
    Result<std::vector<model::HostKey>> host_keys(std::int64_t lease) const;
    Result<std::vector<PinnedKey>> host_key_history(std::int64_t lease) const;
    // Retires all keys in force and pins these. `reason` is kept for good ("adopted again with --accept-host-key").
    Status replace_host_keys(std::int64_t lease, std::span<const model::HostKey> keys, const std::string& reason);

    // --- Runs. A name belongs to at most one run of a lease that was not dropped. ---

    // Claims the name, before anything is sent to the box. Code::exists when it is taken: nothing starts twice. The
    // verdict of a new claim is QUEUED.
    Result<model::Run> claim_run(std::int64_t lease, const model::RunSpec& spec);
    // What a claim says, anew, as long as nothing was seen to start under it: the release, driver or environment that
    // were known only later. The name stays. Code::exists when an identity was recorded.
    Result<model::Run> revise_claim(std::int64_t run, const model::RunSpec& spec);
    // A further attempt of a run whose last verdict is terminal: attempt + 1, identity and verdict anew, old verdicts
    // stay in the history. Code::exists while the last attempt is not known to have ended.
    Result<model::Run> claim_attempt(std::int64_t run, const model::RunSpec& spec);
    // Gives a claim back whose launch certainly never happened (the request was not sent, or was refused). Code::exists
    // when an identity was recorded: then it ran.
    Status drop_claim(std::int64_t run, const std::string& reason);
    Status record_identity(std::int64_t run, const model::RunIdentity& identity);
    // What the run must leave behind, said after its launch: added to its roster, where it is not there already.
    Status declare_roster(std::int64_t run, const model::Roster& items);
    // Seen from a second connection.
    Status confirm_run(std::int64_t run);
    Status record_verdict(std::int64_t run, const model::Verdict& verdict);
    Result<model::Run> run(std::int64_t id) const;
    Result<model::Run> run_by_name(std::int64_t lease, std::string_view name) const;
    // Oldest first; dropped claims are left out.
    Result<std::vector<model::Run>> runs(std::int64_t lease) const;

    // --- Proof. ---

    Result<std::int64_t> add_manifest(std::int64_t run, std::span<const model::ManifestEntry> entries);
    Result<std::optional<Manifest>> latest_manifest(std::int64_t run) const;
    // `lease`, `run`, `directory` and `files` are read. Call it only after the files are durable on disk.
    Result<model::Receipt> add_receipt(model::Receipt receipt);
    // Whether some receipt of the run lies in this directory (absolute, byte for byte), without reading its files.
    Result<bool> received_into(std::int64_t run, std::string_view directory) const;
    // Newest first.
    Result<std::vector<model::Receipt>> receipts(std::int64_t run) const;
    // The union of all receipts of the run: each distinct (path, root digest, local path), newest receipt
    // first.
    Result<std::vector<ProvenFile>> covered(std::int64_t run) const;
    // What a pull leaves on the laptop; `run` of each is not read. A file once written by a pull of the run stays so
    // while its root digest stays the same.
    Status hold_files(std::int64_t run, std::span<const HeldFile> files);
    // Of every run, in one place (absolute, byte for byte); and all of one run, by path.
    Result<std::vector<HeldFile>> held_at(std::string_view path) const;
    Result<std::map<std::string, HeldFile>> held_files(std::int64_t run) const;
    // Load tests that passed; to be forgotten once one with the same key fails.
    Status add_load_test(const LoadTestKey& passed);
    Status forget_load_test(const LoadTestKey& failed);
    Result<bool> load_test_passed(const LoadTestKey& key) const;
    Status add_copy(const PlacedCopy& copy);
    Result<std::vector<PlacedCopy>> copies(std::int64_t run) const;

    // --- Volatile files of ours on the box. ---

    // Call it before the file is written there.
    Status add_volatile(std::int64_t lease, const std::string& path, const std::string& what);
    Status forget_volatile(std::int64_t lease, const std::string& path);
    Result<std::vector<VolatileFile>> volatile_files(std::int64_t lease) const;

    // --- History. Events are only ever appended. ---

    Status append_event(std::optional<std::int64_t> lease, std::optional<std::int64_t> run, const std::string& kind,
                        const std::string& json);
    // Events of the lease with id > `after`, oldest first, `most` at most.
    Result<std::vector<Event>> events(std::int64_t lease, std::int64_t after = 0, std::size_t most = 1000) const;
    Status add_samples(std::int64_t lease, const std::string& series, std::span<const Sample> samples);
    // Samples not older than `since`, oldest first.
    Result<std::vector<Sample>> samples(std::int64_t lease, std::string_view series, WallTime since) const;
    // Small remembered answers of a lease ("disk warning shown", …): the last value of a key.
    Status set_note(std::int64_t lease, const std::string& key, const std::string& value);
    Result<std::optional<std::string>> note(std::int64_t lease, std::string_view key) const;

    // --- Trust in project files. ---

    // `path` is absolute; `sha256` is the hash of the text the user said yes to, 64 hex digits.
    Status trust(const std::string& path, const std::string& sha256);
    Result<std::optional<std::string>> trusted_hash(std::string_view path) const;
    Status distrust(std::string_view path);

  private:
    struct Impl;
    explicit Ledger(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace drawhitch::ledger
