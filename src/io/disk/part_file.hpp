// PartFile: one file on its way into a pull, in the pull's private directory, with its journal. Proves what it holds
// leaf by leaf. Never touches a name the user can see; Landing moves the finished file into place.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/op.hpp"
#include "core/proto/digest.hpp"
#include "io/disk/root.hpp"

namespace drawhitch::disk {

// What the part is to become.
struct PartPlan {
    std::uint64_t size{0};
    std::uint64_t allocated{0};  // bytes the source takes on disk; less than `size`: the part is kept sparse
    std::string identity{};      // names the state of the source file, at most 64 KiB; see JournalClaims
};

// Thread-safe: several connections may write leaves of one part at once.
class PartFile {
  public:
    // Opens `name`.part and `name`.leaves in `directory`, or makes them. With an old part, every leaf its journal
    // claims is read and proved again; what does not hold is forgotten. An old journal with another identity or size
    // starts over empty (its leaves stay readable through `claims_of_another_state`). Codes: no_space, cancelled,
    // local_io …
    static Result<std::unique_ptr<PartFile>> open(const Op& op, int directory, const std::string& name,
                                                  const PartPlan& plan);
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;
    ~PartFile() = default;

    [[nodiscard]] std::uint64_t size() const { return plan_.size; }
    [[nodiscard]] std::uint64_t leaf_count() const { return leaves_.size(); }
    [[nodiscard]] bool proven(std::uint64_t index) const;
    [[nodiscard]] std::uint64_t proven_count() const;
    [[nodiscard]] std::uint64_t proven_bytes() const;

    // Leaves that a part of an earlier state of the source holds, proved against its bytes. If the new state turns out
    // to have the same leaf at the same index, `adopt` takes it without sending it again.
    [[nodiscard]] bool has_earlier_state() const;
    [[nodiscard]] bool adopt(std::uint64_t index, const proto::Digest& wanted);

    // Writes one whole leaf. `leaf` must be the digest of `raw` (the caller has just checked it). Zero bytes are not
    // written where the part is sparse. Flushes part and journal every 64 MiB.
    Status write_leaf(std::uint64_t index, std::string_view raw, const proto::Digest& leaf);
    // Reads proven bytes back, for the ordered hash.
    Result<std::size_t> read(std::uint64_t offset, std::span<char> buffer) const;
    // All leaves, in order. Call it only when all are proven.
    [[nodiscard]] std::vector<proto::Digest> leaves() const;
    // Forgets everything, on disk too: for a part whose file as a whole proved wrong.
    Status start_over();
    // Mode, time, then everything to disk. The descriptor stays open for reading.
    Status finish(std::uint32_t mode, std::int64_t mtime_ns);

    [[nodiscard]] const std::string& part_name() const { return part_name_; }
    [[nodiscard]] const std::string& journal_name() const { return journal_name_; }
    [[nodiscard]] int fd() const { return part_.get(); }

  private:
    PartFile(const std::string& name, PartPlan plan);
    Status open_files(int directory);
    Status load(const Op& op);
    Status prove(const Op& op, const std::string& journal);
    Status reset_files();
    Status begin_journal();
    Status reserve();
    Status flush_locked();

    PartPlan plan_{};
    std::string part_name_{};
    std::string journal_name_{};
    std::string salt_{};
    UniqueFd part_{};
    UniqueFd journal_{};
    std::uint64_t journal_end_{0};

    mutable std::mutex mutex_{};
    std::vector<std::optional<proto::Digest>> leaves_{};
    std::vector<std::optional<proto::Digest>> old_leaves_{};
    std::uint64_t unflushed_{0};
};

}  // namespace drawhitch::disk
