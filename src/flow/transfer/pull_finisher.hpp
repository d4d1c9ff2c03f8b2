// PullFinisher: the thread that puts what arrived on disk: writes chunks, follows with the ordered SHA-256, lands whole
// files. So hashing and writing go on while the connections receive, and a slow fsync never silences a connection.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "flow/transfer/pull_state.hpp"

namespace drawhitch::flow {

// Thread-safe. `finish` (or the destructor) waits for what was added.
class PullFinisher {
  public:
    struct Chunk {
        std::size_t job{0};
        std::uint32_t generation{0};
        std::uint32_t index{0};
        std::string raw{};
        proto::Digest leaf{};
    };
    struct Small {
        std::size_t job{0};
        std::string content{};
        proto::Digest digest{};
    };

    PullFinisher(PullState& state, disk::Landing& landing);
    ~PullFinisher();
    PullFinisher(const PullFinisher&) = delete;
    PullFinisher& operator=(const PullFinisher&) = delete;

    // False: 2 MiB wait already; nothing was taken, wait_for_room and offer it again.
    bool offer(Chunk& chunk);
    bool offer(Small& small);
    // Waits for room, a second at most.
    void wait_for_room();
    // Files that need no more bytes (PullState::take_complete).
    void add_complete();
    // Waits until everything added is on disk, and lands the small files.
    void finish();
    // Lands the small files that were added until now, and returns when they are in place; others go on being added.
    void land_now();

  private:
    struct Task {
        enum class Kind { chunk, small, complete, settle_small };
        Kind kind{Kind::chunk};
        Chunk chunk{};
        Small small{};
    };
    bool push(Task task, std::size_t bytes);
    void run();
    void perform(Task& task);
    Status write(Chunk& chunk);
    Status write(Small& small);
    Status complete(std::size_t job, std::uint32_t generation, const std::shared_ptr<disk::PartFile>& part);
    Status follow(std::size_t job, disk::PartFile& part, std::uint32_t fresh_index, std::string_view fresh);
    Status land_small();
    void failed(std::size_t job, const Error& error);

    PullState& state_;
    disk::Landing& landing_;
    std::map<std::string, std::size_t> waiting_{};  // small files written and not yet landed: target -> job

    std::mutex mutex_{};
    std::condition_variable moved_{};
    std::deque<Task> tasks_{};
    std::size_t bytes_{0};
    bool busy_{false};
    std::uint64_t landings_asked_{0};
    std::uint64_t landings_done_{0};
    bool ending_{false};
    std::thread thread_{};
};

}  // namespace drawhitch::flow
