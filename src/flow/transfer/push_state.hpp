// PushState: what all threads of one push share: the files, the one queue of work, what is done. Moves no bytes itself.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "flow/transfer/crew.hpp"
#include "flow/transfer/fence.hpp"
#include "flow/transfer/push_types.hpp"

namespace drawhitch::flow {

struct PushWork {
    enum class Kind {
        bundle,  // small files, whole
        probe,   // which leaves of a part the box has already
        span,    // chunks of one large file
        commit,  // all chunks are there: check the whole and move it into place
        find,    // the part is gone: whether an earlier commit, whose answer was lost, has put the file into place
    };
    Kind kind{Kind::bundle};
    std::vector<std::size_t> files{};  // one, except for a bundle
    std::vector<std::uint32_t> chunks{};
    std::uint64_t raw{0};
    std::uint64_t ticket{0};  // of the connection that does it
};

// Thread-safe.
class PushState final : public SharedWork {
  public:
    PushState(const Op& op, const std::vector<PushItem>& items);

    // Work for the connection of `seat`. It has a ticket until it is done, given back, or taken away.
    Result<std::optional<PushWork>> take(const Seat& seat);
    void done(std::uint64_t ticket);
    // What the box has not acknowledged of it is work again.
    void give_back(std::uint64_t ticket, bool begun = true);
    // Takes away the work of connections that wait for answers and have not heard anything for long. True if there was
    // any; `fence` knows then that their helpers have to be fenced before it is done by another.
    bool take_from_silent(const Seat& mine, Instant now, Fence& fence);
    [[nodiscard]] bool over() const override;
    void wait_over(milliseconds most) override;
    [[nodiscard]] std::uint64_t bytes_left() const override;
    void set_connections(std::size_t count) override;
    void wait();
    [[nodiscard]] bool settled(std::size_t file) const;
    [[nodiscard]] const PushItem& item(std::size_t file) const { return items_[file]; }
    [[nodiscard]] std::string part_name(std::size_t file) const;

    // Answers to work count only as long as its ticket is valid.
    void probed(std::uint64_t ticket, const std::vector<proto::Digest>& leaves);
    void chunk_acked(std::uint64_t ticket, std::uint32_t chunk);
    // The box refused a chunk or a file for its digest: sent again, three times at most.
    void chunk_wrong(std::uint64_t ticket, std::uint32_t chunk);
    void small_wrong(std::uint64_t ticket, std::size_t file);
    void small_written(std::size_t file);
    void committed(std::size_t file);
    // The whole was wrong although every leaf was right: the part is sent anew.
    void commit_wrong(std::uint64_t ticket);
    // Nothing is there to be committed.
    void part_gone(std::uint64_t ticket);
    void changed_here(std::size_t file);
    void stop(Error error) override;

    // A connection that is not needed any more and works: kept for the outcome, if it is the first. What crosses it is
    // the caller's to count then.
    bool keep(const Link& link);
    PushOutcome outcome();
    void reconnected();
    void add_wire(const agent::Traffic& traffic);

  private:
    struct File {
        bool settled{false};
        std::uint64_t open_chunks{0};
        std::map<std::uint32_t, int> wrong{};
    };
    struct Owed {
        PushWork work{};
        const Seat* seat{nullptr};
    };
    PushWork hand_out(PushWork work, const Seat& seat);
    void give_back_locked(PushWork work);
    std::optional<std::size_t> strike_out(std::uint64_t ticket, std::uint32_t chunk);
    void settle_locked(std::size_t file);
    void advance_locked(std::uint64_t bytes);
    void queue_chunks_locked(std::size_t file, const std::vector<std::uint32_t>& chunks);
    void collect_small(PushWork& bundle);
    void cut_if_last(PushWork& work);
    void wrong_locked(std::size_t file, std::uint32_t chunk);
    [[nodiscard]] std::optional<std::size_t> file_of(std::uint64_t ticket) const;

    const std::vector<PushItem>& items_;
    std::vector<std::string> part_names_{};
    mutable std::mutex mutex_{};
    std::condition_variable moved_{};
    std::vector<File> files_{};
    std::deque<PushWork> ready_{};
    std::map<std::uint64_t, Owed> owed_{};
    std::uint64_t last_ticket_{0};
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
