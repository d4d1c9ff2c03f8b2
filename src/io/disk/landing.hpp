// Landing: how files arrive in a destination directory. Everything is first written in a private directory
// (`.drawhitch/<id>`, 0700) under the destination and moved into place when it is whole, proven and on disk: a name the
// user can see never holds a wrong or half file. Never follows a symlink, never writes outside the destination.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/op.hpp"
#include "io/disk/landing_notes.hpp"
#include "io/disk/part_file.hpp"
#include "io/disk/root.hpp"
#include "io/disk/set_aside.hpp"

namespace drawhitch::disk {

// How a landed file looks. Of the mode only rwx bits count, less the umask; the owner can always read and write.
struct Look {
    std::uint32_t mode{0644};
    std::int64_t mtime_ns{0};
};

// What may be replaced where a landing keeps what is not its own.
struct KeepOthers {
    std::map<std::string, Stamp> ours{};  // names whose file, in that very state, an earlier landing put there
    NameTaken taken{};                    // names that will land yet
};

// Thread-safe. One Landing per destination and id at a time, in this or any other process.
class Landing {
  public:
    // `id` is a plain name that stays the same when the pull is repeated, so that it resumes by itself. Code::locked
    // when another process pulls there; unsafe_path when `.drawhitch` is not a directory of its own.
    static Result<std::unique_ptr<Landing>> open(Root destination, const std::string& id);
    Landing(const Landing&) = delete;
    Landing& operator=(const Landing&) = delete;
    ~Landing();

    [[nodiscard]] const Root& destination() const { return destination_; }

    // From now on a file or link that lies under the name of one that lands is moved aside first, unless it is known
    // as one of ours. What lands is noted in the private directory before it does. To be called once, before the rest.
    Status keep_others(KeepOthers rules);
    // What was moved aside since then, in that order.
    [[nodiscard]] std::vector<MovedAside> moved_aside() const;

    // Code::unsafe_path if the path leaves the destination or enters the private directory.
    [[nodiscard]] static Status check_path(std::string_view path);

    // A large file, taken up again where an earlier pull left it.
    Result<std::unique_ptr<PartFile>> part(const Op& op, std::string_view path, const PartPlan& plan);
    // Bytes that an interrupted landing of this id left for that part, as its journal says. Changes nothing; 0 where
    // there is none, or one of another state.
    [[nodiscard]] static std::uint64_t held_of(const Root& destination, const std::string& id, std::string_view path,
                                               const PartPlan& plan);
    // Flushes a part whose leaves are all proven, and moves it into place with its directory flushed.
    Status land(PartFile& part, std::string_view path, const Look& look);

    // A small file, whole and proven. It is written now and appears with the next `settle`: call that every few
    // thousand files or few dozen MiB (see `waiting_files`, `waiting_bytes`).
    Status add_small(std::string_view path, std::string_view data, const Look& look);
    [[nodiscard]] std::size_t waiting_files() const;
    [[nodiscard]] std::uint64_t waiting_bytes() const;
    // Flushes the file system, moves all waiting small files into place, and flushes again what has moved since the
    // last time: after it, everything landed survives power loss. Receipts are written only after it. A file that
    // cannot be moved to its name (a directory is there …) is in the answer and holds up no other; an Error means that
    // nothing is certain about those that waited.
    struct Unlanded {
        std::string path{};
        Error error{};
    };
    Result<std::vector<Unlanded>> settle();

    // Adds to a "no space" error which of bytes and inodes ran out, and where.
    [[nodiscard]] Error explain(Error error) const;
    // What this pull's private files take on disk already: need not be free again.
    [[nodiscard]] std::uint64_t held_bytes() const;

    // A directory. An existing one stays as it is.
    Status make_directory(std::string_view path);
    // A symlink; `target` is bytes and is not followed or checked here. Replaces a file or link of that name.
    Status make_symlink(std::string_view path, std::string_view target);

    // The pull is complete: removes the private directory and, if it is empty, `.drawhitch`.
    Status discard();

  private:
    struct Waiting {
        std::string temporary{};
        std::string path{};
        std::string root{};  // digest, hex; of a landing that keeps others only
    };
    Landing(Root destination, std::string id, UniqueFd directory, UniqueFd lock);
    void move_group(std::size_t first, std::size_t last, std::string_view parent, std::vector<Unlanded>& unlanded);
    Status put(int directory, const std::string& temporary, const std::string& path);
    Result<std::optional<MovedAside>> clear_way(int directory, const std::string& path);

    Root destination_;
    std::string id_{};
    UniqueFd directory_{};
    UniqueFd lock_{};
    std::uint32_t umask_{022};

    mutable std::mutex mutex_{};
    std::vector<Waiting> waiting_{};
    std::uint64_t waiting_bytes_{0};
    std::uint64_t next_small_{0};
    bool moved_{false};

    // Under mutex_.
    bool keeps_others_{false};
    KeepOthers rules_{};
    std::optional<LandingNotebook> notebook_{};
    std::vector<MovedAside> aside_{};
};

}  // namespace drawhitch::disk
