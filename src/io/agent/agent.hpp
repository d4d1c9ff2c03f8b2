// Agent: the helper of one connection, as calls. `connect` finds or installs the helper and starts it; the rest are the
// requests of docs/protocol.md, one blocking call each. Decides nothing and retries nothing.
//
// One thread at a time. Every call may block until the Op's deadline or cancel, and returns the Codes of Session plus
// what its refusals map to: not_found, exists, changed, unsafe_path, permission, no_space, no_inodes, read_only,
// integrity, locked (busy or fenced root), remote_failed (unclaimed, unsupported and the rest). Long lists (stat,
// read_bundle, apply) travel in several requests.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/codec.hpp"
#include "core/proto/bundle.hpp"
#include "core/proto/messages_change.hpp"
#include "core/proto/messages_data.hpp"
#include "core/proto/messages_tree.hpp"
#include "io/agent/helper_images.hpp"
#include "io/agent/session.hpp"
#include "io/transport/transport.hpp"

namespace drawhitch::agent {

struct ConnectOptions {
    // Where the helper was started last time on this box (from the ledger); tried first, without any script.
    std::string known_path{};
    // The profile's data directory, one of the places tried for the helper. May be empty.
    std::string data_dir{};
    SessionOptions session{};
    // False: a helper that is not at `known_path` is an error. For further connections beside one that installs it.
    bool install{true};
};

// A claimed root: what changing calls take. `epoch` fences every earlier claim.
struct Claim {
    proto::RootId root{0};
    std::uint64_t epoch{0};
    bool locking{true};
};

// Who a transfer is: 16 random bytes shared by all its connections (random_bytes(16)).
struct ClaimOptions {
    std::string owner{};
    std::uint64_t epoch{
        0};  // 0 = the helper picks the next one; further connections of a transfer name the first one's
    bool steal{false};
    std::string note{};
};

// Takes what arrives. An Error ends the call and is returned.
using EntrySink = std::function<Status(proto::FileEntry&&)>;
// Chunk `index` of the file, its leaf already checked against the bytes.
using ChunkSink = std::function<Status(std::uint32_t index, std::string&& raw, const proto::Digest& leaf)>;
// One item of a bundle; for reason none the content was checked against its digest.
using BundleSink = std::function<Status(proto::BundleFile&&)>;
// The raw bytes of chunk `index`.
using ChunkSource = std::function<Result<std::string>(std::uint32_t index)>;
// The next file, or nothing at the end.
using BundleSource = std::function<Result<std::optional<proto::NewFile>>()>;
using ProgressSink = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct HashResult {
    proto::FileEntry entry{};  // with `root`, and `sha256` when asked for
    std::vector<proto::Digest> leaves{};
};

class Agent {
  public:
    // Starts the helper on the box, installing it first if needed:
    // 1. `known_path`, if given, is executed straight away; 2. else one script finds architecture, an installed helper
    // and the first writable, executable place of ~/.cache/drawhitch, $XDG_RUNTIME_DIR/drawhitch, the data directory,
    // /dev/shm/drawhitch-UID, /tmp/drawhitch-UID; 3. a missing helper is uploaded there, checked, renamed into place.
    // The helper that answers must carry the build id of our image. Extra Codes: noexec (no place may execute it, or no
    // image for the architecture), no_space, shell_missing, protocol (version), and the transport's.
    static Result<std::unique_ptr<Agent>> connect(const Op& op, transport::Transport& transport,
                                                  const HelperImages& images, const ConnectOptions& options);
    // Around a session that runs already (tests, in-process helpers).
    static std::unique_ptr<Agent> adopt(std::unique_ptr<Session> session);

    [[nodiscard]] const proto::Hello& hello() const { return session_->hello(); }
    // Where the helper lies on the box: remember it as `known_path`. Empty after `adopt`.
    [[nodiscard]] const std::string& helper_path() const { return helper_path_; }
    // True if this connect had to upload the helper.
    [[nodiscard]] bool installed() const { return installed_; }
    // The layer below, for callers that keep several requests in flight. Do not mix with a blocking call in progress.
    [[nodiscard]] Session& session() { return *session_; }
    // What both ends can do.
    [[nodiscard]] proto::CodecSet codecs() const;

    // --- roots ---
    // `path` absolute bytes. Returns the root's number for all further calls.
    Result<proto::RootId> open_root(const Op& op, std::string_view path, bool create);
    // The same with what the helper said about it.
    Result<proto::RootOpened> open_root(const Op& op, proto::RootId root, std::string_view path, bool create);
    Result<Claim> claim(const Op& op, proto::RootId root, const ClaimOptions& options);
    // Opening a root and the first question about it in one flight; the errors are those of both.
    Result<Claim> open_and_claim(const Op& op, std::string_view path, bool create, const ClaimOptions& options);
    struct Found {
        proto::RootId root{0};
        std::vector<proto::FileEntry> entries{};
    };
    Result<Found> open_and_stat(const Op& op, std::string_view path, std::vector<std::string> paths);
    // `request` without its root, which is returned.
    Result<proto::RootId> open_and_scan(const Op& op, std::string_view path, proto::Scan request,
                                        const EntrySink& sink);
    Result<proto::RootProbed> probe_root(const Op& op, const Claim& claim);
    Result<proto::Space> statvfs(const Op& op, proto::RootId root, std::string_view path = {});

    // --- looking ---
    // What is not there has an errno in `error`; only a failed call is an Error.
    Result<std::vector<proto::FileEntry>> stat(const Op& op, proto::RootId root, std::vector<std::string> paths);
    // Entries in scan order, each path checked to be safe and the order to be strictly rising.
    Result<proto::ScanEnd> scan(const Op& op, const proto::Scan& request, const EntrySink& sink);
    Result<HashResult> hash(const Op& op, const proto::Hash& request, const ProgressSink& progress = {});
    Result<proto::TreeHashed> tree_hash(const Op& op, const proto::TreeHash& request,
                                        const ProgressSink& progress = {});
    Result<proto::Small> read_small(const Op& op, proto::RootId root, std::string_view path, std::uint64_t offset = 0,
                                    std::uint32_t max = proto::k_small_max);
    Result<proto::WritersFound> writers(const Op& op, proto::RootId root, std::string_view path = {});

    // --- reading ---
    // Chunks in the order asked for. Code::integrity if one does not match its leaf, or the helper sends what was not
    // asked for; Code::changed as soon as the fence breaks (chunks delivered before were true to it).
    Result<proto::ReadEnd> read(const Op& op, const proto::Read& request, const ChunkSink& sink);
    Result<proto::ReadEnd> read_bundle(const Op& op, const proto::ReadBundle& request, const BundleSink& sink);

    // --- writing (claimed roots) ---
    // Sends the given chunks of a file of `size` bytes into a part file; a chunk the box could not verify is sent
    // again, three times at most, then Code::integrity. `indexes` empty = all.
    Result<proto::Written> write(const Op& op, const Claim& claim, const proto::Write& request,
                                 std::span<const std::uint32_t> indexes, const ChunkSource& source);
    Result<proto::Committed> commit(const Op& op, const Claim& claim, proto::Commit request,
                                    const ProgressSink& progress = {});
    // Small files in blocks. Failures of single files come back in `failures` (by NewFile::index), not as an Error.
    struct BundleWritten {
        std::uint64_t files{0};
        std::vector<proto::ItemFailure> failures{};
    };
    Result<BundleWritten> write_bundle(const Op& op, const Claim& claim, proto::WriteBundle request, bool sync,
                                       const BundleSource& source);
    Result<proto::SmallWritten> write_small(const Op& op, const Claim& claim, proto::WriteSmall request);

    // --- changing (claimed roots) ---
    // Several changes in one flight; failures come back inside Applied.
    Result<proto::Applied> apply(const Op& op, const Claim& claim, std::vector<proto::Change> changes, bool keep_going);
    // One change each; its failure is the Error.
    Status make_directory(const Op& op, const Claim& claim, std::string_view path, std::uint32_t mode, bool parents);
    Status make_symlink(const Op& op, const Claim& claim, std::string_view path, std::string_view target);
    Status hard_link(const Op& op, const Claim& claim, std::string_view from, std::string_view to);
    Status copy_file(const Op& op, const Claim& claim, std::string_view from, std::string_view to);
    Status rename(const Op& op, const Claim& claim, std::string_view from, std::string_view to, bool no_replace);
    Status remove(const Op& op, const Claim& claim, std::string_view path, bool recursive);
    Status set_executable(const Op& op, const Claim& claim, std::string_view path, bool executable);
    Status sync(const Op& op, proto::RootId root);

  private:
    Result<proto::ReadEnd> read_block_of_bundle(const Op& op, const proto::ReadBundle& request, const BundleSink& sink);
    // A request to open a root that is under way.
    struct Opening {
        proto::RootId root{0};
        std::uint32_t number{0};
    };
    Opening begin_open(std::string_view path, bool create);
    // Its answer. Where that is a refusal nobody waits for the answer to `next`.
    Result<proto::RootId> opened(const Op& op, const Opening& opening, std::uint32_t next);
    Result<proto::ScanEnd> read_scan(const Op& op, std::uint32_t number, const proto::Scan& request,
                                     const EntrySink& sink);
    explicit Agent(std::unique_ptr<Session> session) : session_(std::move(session)) {}

    std::unique_ptr<Session> session_;
    std::string helper_path_{};
    bool installed_{false};
    proto::RootId next_root_{1};
    codec::Codec codec_{};
};

}  // namespace drawhitch::agent
