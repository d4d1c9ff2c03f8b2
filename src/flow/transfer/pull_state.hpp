// PullState: what all threads of one pull share: the jobs, the one queue of work, the results. Decides what is fetched
// next and when a file is done; moves no bytes itself. Connections take work from here and give back what they could
// not finish, so no connection owns a fixed part.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "flow/transfer/crew.hpp"
#include "flow/transfer/local_base.hpp"
#include "flow/transfer/pull_types.hpp"
#include "io/disk/landing.hpp"

namespace drawhitch::flow {

struct PullWork {
    enum class Kind {
        bundle,   // several small files, whole
        span,     // chunks of one large file
        compare,  // leaves of a file of which we hold an earlier state
        certify,  // read again on the box, to compare root digests
        restat,   // look again at a file that changed
    };
    Kind kind{Kind::bundle};
    std::vector<std::size_t> jobs{};  // one, except for a bundle
    std::uint32_t generation{0};      // of that one job
    std::uint32_t first{0};           // span: chunks
    std::uint32_t count{0};
    std::uint64_t raw{0};     // bytes it will bring, for the pipeline
    std::uint64_t ticket{0};  // of what was handed out: names it in got(), done() and give_back()
};

// A file is one "small" item or one large part; a new generation begins when it changed on the box.
struct PullJob {
    PullItem item{};
    std::uint32_t generation{0};
    std::uint32_t changes{0};
    bool settled{false};
    bool certified{false};
    bool arrived{false};  // a small file: its bytes are on their way to the disk
    std::shared_ptr<disk::PartFile> part{};
    std::shared_ptr<LocalBase> base{};  // of a large file, while it helps
    std::uint64_t open_chunks{0};
    proto::Digest root{};
    proto::Digest sha256{};
};

// Thread-safe.
class PullState final : public SharedWork {
  public:
    PullState(const Op& op, disk::Landing& landing, std::vector<PullItem> items);

    // --- for connections ---
    // The next work, or nothing if there is none now. An Error ends the pull (the disk is full …). Who has nothing else
    // to do takes with `repeat` what another connection still owes: the slowest one would decide the end otherwise.
    Result<std::optional<PullWork>> take(const Op& op, bool repeat);
    // One chunk of a span, or one file of a bundle, arrived.
    void got(std::uint64_t ticket, std::uint32_t index);
    // Work has its last answer.
    void done(std::uint64_t ticket);
    void give_back(PullWork work);
    // How many connections share the queue; near its end work is cut smaller for them.
    void set_connections(std::size_t count) override;
    [[nodiscard]] std::size_t connections() const;
    // True once every job has its result, or the pull was stopped.
    [[nodiscard]] bool over() const override;
    // Waits for work or the end, a second at most.
    void wait();
    // Waits for the end.
    void wait_over(milliseconds most) override;
    // Raw bytes that neither arrived nor were found here.
    [[nodiscard]] std::uint64_t bytes_left() const override;
    [[nodiscard]] PullItem item(std::size_t job) const;
    [[nodiscard]] bool current(std::size_t job, std::uint32_t generation) const;

    // --- what connections found ---
    void changed(std::size_t job, std::uint32_t generation);
    void restated(std::size_t job, std::uint32_t generation, const proto::FileEntry& found);
    // A chunk (or, for a small file, the file) did not match its digest: it is fetched again, three times at most.
    void came_wrong(std::size_t job, std::uint32_t generation, std::uint32_t chunk, std::uint64_t bytes);
    void compared(std::size_t job, std::uint32_t generation, const std::vector<proto::Digest>& leaves);
    void certified(std::size_t job, std::uint32_t generation, const proto::Digest& root);
    // A small file's bytes are here. False: not to be written (gone state, or it must be looked at a second time).
    bool small_arrived(std::size_t job, std::uint32_t generation, const proto::Digest& digest, std::uint64_t bytes);
    void fetched(std::uint64_t bytes);
    void repeated(std::uint64_t bytes);
    void settle(std::size_t job, FileState state, std::string why = {}, Code code = Code::skipped);
    void stop(Error error) override;
    // The file's base here; null if there is none (any more).
    [[nodiscard]] std::shared_ptr<LocalBase> base_of(std::size_t job) const;
    // A chunk that could have come on its base did, and that kept so many bytes off the wire; or it came whole. Too
    // many of these and the base is given up.
    void came_on_base(std::size_t job, std::uint64_t raw, std::uint64_t saved);
    void came_beside_base(std::size_t job);
    void drop_base(std::size_t job);

    // --- for the finisher ---
    // Held while a part is written or opened anew, so that bytes of a gone state never enter a new one.
    std::mutex& part_mutex() { return part_mutex_; }
    // The part of the file's present state; null if the work is about a state that is gone, or the file has its result.
    std::shared_ptr<disk::PartFile> part_of(std::size_t job, std::uint32_t generation) const;
    // The ordered hash of a file; to be used under part_mutex only.
    struct Follower {
        proto::Sha256 hash{};
        std::uint64_t chunks{0};  // eaten so far
    };
    Follower& follower(std::size_t job) { return followers_[job]; }
    // A chunk is on disk; true if it was the last one.
    bool chunk_written(std::size_t job);
    // The digests of a whole file: true if it may land now, false if the box is asked once more first.
    bool may_land(std::size_t job, const proto::Digest& root, const proto::Digest& sha256);
    void small_digests(std::size_t job, const proto::Digest& root, const proto::Digest& sha256);
    // A file that had been settled as pulled could not be moved into place after all.
    void unlanded(std::size_t job, const Error& error);
    // Files that became complete without a chunk arriving (all there already, or certified now), with their generation.
    std::vector<std::pair<std::size_t, std::uint32_t>> take_complete();
    [[nodiscard]] std::uint32_t generation(std::size_t job) const;

    // --- for whoever watches groups ---
    // Groups whose items all have their result, each told once. Small files among them may still have to land.
    std::vector<std::uint32_t> take_done_groups();
    // To be asked after their small files landed.
    [[nodiscard]] ItemResults results_of(const std::vector<std::uint32_t>& groups) const;

    // --- the end ---
    PullOutcome outcome();
    void reconnected();
    void add_wire(const agent::Traffic& traffic);

  private:
    // Work that a connection has, and what of it has not come yet.
    struct Owed {
        PullWork work{};
        std::set<std::uint32_t> indexes{};
        Instant since{};
        bool repeated{false};
    };
    bool is_small(const PullJob& job) const;
    PullWork hand_out(PullWork work, Instant now);
    std::optional<PullWork> repeat_owed(Instant now);
    void cut_if_last(PullWork& work);
    [[nodiscard]] bool is_stale(const PullWork& work) const;
    void collect_small(PullWork& bundle);
    Status open_part(const Op& op, std::size_t index);
    void queue_missing(std::size_t index);
    void settle_locked(std::size_t job, FileState state, std::string why, Code code);
    void forget_troubles_locked(std::size_t job);
    void advance_locked(std::uint64_t bytes);

    disk::Landing& landing_;
    std::mutex part_mutex_{};
    std::map<std::size_t, Follower> followers_{};

    mutable std::mutex mutex_{};
    std::condition_variable moved_{};
    std::vector<PullJob> jobs_{};
    // Kept apart from the jobs, as few files need them: a pull may have hundreds of thousands.
    struct Verdict {
        FileState state{FileState::failed};
        Code code{Code::skipped};
        std::string why{};
    };
    std::vector<Verdict> verdicts_{};
    std::map<std::pair<std::size_t, std::uint32_t>, int> wrong_{};  // job and chunk -> how often it came wrong
    std::map<std::size_t, proto::Digest> first_look_{};  // small file in doubt: its digest when it was read first
    std::deque<PullWork> ready_{};
    std::deque<std::size_t> small_again_{};
    std::deque<std::size_t> to_open_{};
    std::vector<std::pair<std::size_t, std::uint32_t>> complete_{};
    std::map<std::uint64_t, Owed> owed_{};  // by ticket: oldest first
    std::uint64_t last_ticket_{0};
    std::size_t connections_{1};
    std::uint64_t all_bytes_{0};
    std::size_t next_{0};
    std::size_t unsettled_{0};
    // Items of one group lie side by side.
    struct Group {
        std::size_t first{0};
        std::size_t count{0};
        std::size_t open{0};
    };
    std::map<std::uint32_t, Group> groups_{};
    std::vector<std::uint32_t> done_groups_{};
    [[nodiscard]] PullResult result_locked(std::size_t job) const;
    std::uint64_t done_bytes_{0};
    PullTally tally_{};
    std::optional<Error> stopped_{};
    Activity activity_;
};

}  // namespace drawhitch::flow
