// PushState: what all threads of one push share: the files, the one queue of work, what is done. Moves no bytes itself.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "flow/transfer/crew.hpp"
#include "flow/transfer/push_types.hpp"

namespace drawhitch::flow {

struct PushWork {
    enum class Kind {
        bundle,  // small files, whole
        probe,   // which leaves of a part the box has already
        span,    // chunks of one large file
        commit,  // all chunks are there: check the whole and move it into place
    };
    Kind kind{Kind::bundle};
    std::vector<std::size_t> files{};  // one, except for a bundle
    std::vector<std::uint32_t> chunks{};
    std::uint64_t raw{0};
};

// Thread-safe.
class PushState final : public SharedWork {
  public:
    PushState(const Op& op, const std::vector<PushItem>& items);

    Result<std::optional<PushWork>> take();
    void give_back(PushWork work, bool repeated);
    [[nodiscard]] bool over() const override;
    void wait_over(milliseconds most) override;
    [[nodiscard]] std::uint64_t bytes_left() const override;
    void set_connections(std::size_t count) override;
    void wait();
    [[nodiscard]] bool settled(std::size_t file) const;
    [[nodiscard]] const PushItem& item(std::size_t file) const { return items_[file]; }
    [[nodiscard]] std::string part_name(std::size_t file) const;

    void probed(std::size_t file, const std::vector<proto::Digest>& leaves);
    void chunk_acked(std::size_t file, std::uint32_t chunk);
    // The box refused a chunk or a file for its digest: sent again, three times at most.
    void came_wrong(std::size_t file, std::uint32_t chunk);
    void small_written(std::size_t file);
    void committed(std::size_t file);
    // The whole was wrong although every leaf was right: the part is sent anew.
    void commit_wrong(std::size_t file);
    void changed_here(std::size_t file);
    void stop(Error error) override;

    PushOutcome outcome();
    void reconnected();
    void add_wire(const agent::Traffic& traffic);

  private:
    struct File {
        bool settled{false};
        std::uint64_t open_chunks{0};
        std::map<std::uint32_t, int> wrong{};
    };
    void settle_locked(std::size_t file);
    void advance_locked(std::uint64_t bytes);
    void queue_chunks_locked(std::size_t file, const std::vector<std::uint32_t>& chunks);
    void collect_small(PushWork& bundle);
    void cut_if_last(PushWork& work);
    void wrong_locked(std::size_t file, std::uint32_t chunk);

    const std::vector<PushItem>& items_;
    mutable std::mutex mutex_{};
    std::condition_variable moved_{};
    std::vector<File> files_{};
    std::deque<PushWork> ready_{};
    std::deque<std::size_t> small_again_{};
    std::size_t next_{0};
    std::size_t unsettled_{0};
    std::uint64_t all_bytes_{0};
    std::uint64_t done_bytes_{0};
    std::size_t connections_{1};
    PushOutcome outcome_{};
    Activity activity_;
};

}  // namespace drawhitch::flow
