// Undeclared: files that would die unseen. Given what lies on the tiers a verb wipes, and what explains files there, it
// lists the rest by directory. Pure and streaming: memory grows with the unexplained, not with the disk.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace drawhitch::judge {

// What a scan saw. Times are the box's.
struct SeenFile {
    std::string path{};  // absolute on the box, bytes
    std::uint64_t size{0};
    WallTime changed{};  // ctime: unlike mtime, tools cannot set it
    bool directory{false};
    bool unreadable{false};  // a directory that could not be listed, or an entry that could not be looked at
};

// Why a file need not be asked about.
enum class Explained {
    no,
    older,        // not created or changed since the lease began
    roster,       // part of a unit of some run's roster: judged there
    proven,       // a receipt or a copy holds its content
    release,      // deployed code, unchanged
    environment,  // built by a setup step, or a Python or conda environment
    cache,        // remade by the program that made it
    scratch,      // declared so by the user or the profile
    ours,         // drawhitch's own records
    copied,       // as `cp` brought it here, or took it from here
    system,       // the operating system's own places
    given_up,     // named with --lose
};

struct Explanations {
    WallTime since{};                                // when the lease began, by the box's clock
    std::string home{};                              // the login user's, absolute; may be empty
    std::map<std::string, Explained> directories{};  // everything at or below is explained so; the nearest one counts
    std::map<std::string, Explained> files{};        // exact paths
    // Whether the profile or the user calls a path scratch. May be empty.
    std::function<bool(std::string_view path)> scratch{};
    std::vector<std::string> given_up{};  // clean absolute paths of --lose
    // Directories that drawhitch wrote into: unfinished parts of files in them are its own (judge/own_files.hpp).
    std::vector<std::string> written{};
    // Directories of runs, whose control files are ours. A name above one does not reach into it. Who gives up "/root"
    // for a stray file there does not mean what a run left behind.
    std::vector<std::string> runs{};
    // Roots that somebody else had worked under before the lease began: no file there is excused for its age.
    std::vector<std::string> inherited{};
};

struct NamedFile {
    std::string path{};  // absolute on the box, bytes
    std::uint64_t size{0};
    bool operator==(const NamedFile&) const = default;
};

// So many files of a group are named; of a larger one, the first so many that were seen.
inline constexpr std::size_t k_named_files = 12;

struct UndeclaredGroup {
    std::string directory{};  // or the file itself, where it lies directly under "/"
    std::uint64_t files{0};
    std::uint64_t bytes{0};
    WallTime newest{};
    std::string newest_name{};  // of the file changed last
    bool unreadable{false};     // a directory nobody could look into; the counts mean nothing
    std::vector<NamedFile> listed{};
    bool unknown_run{false};  // all that lies in the directory of a run which nobody here knows
    bool operator==(const UndeclaredGroup&) const = default;
};

struct GivenUp {
    std::string path{};
    std::uint64_t files{0};
    std::uint64_t bytes{0};
};

// Feed it every entry of every wiped tier, in any order, then ask.
class Undeclared {
  public:
    explicit Undeclared(Explanations explanations);

    // What explains the file; also adds it to its group if nothing does.
    Explained add(const SeenFile& file);
    // Small files that were taken for ours by place, name and size: whoever feeds this reads them, and disowns the ones
    // that do not hold what we write there (judge/own_files.hpp).
    [[nodiscard]] const std::vector<SeenFile>& own_state() const { return own_state_; }
    void disown(const SeenFile& file);
    // The groups, largest first. At most `most`: beyond that, neighbours are joined under their common directory, never
    // above the first level.
    [[nodiscard]] std::vector<UndeclaredGroup> groups(std::size_t most = 40) const;
    // What each --lose path covered; a path that covered nothing has no files.
    [[nodiscard]] std::vector<GivenUp> given_up() const;

  private:
    [[nodiscard]] Explained explain(const SeenFile& file, bool may_be_ours);
    Explained decide(const SeenFile& file, bool may_be_ours);
    [[nodiscard]] bool reaches(const std::string& name, const std::string& path) const;
    [[nodiscard]] bool is_ours(const SeenFile& file) const;
    [[nodiscard]] Explained nearest(std::string_view path) const;
    [[nodiscard]] bool in_environment(std::string_view directory) const;
    void note_mark(std::string_view path);
    [[nodiscard]] std::string unknown_run_of(std::string_view path) const;
    [[nodiscard]] bool is_shown(const UndeclaredGroup& run) const;

    Explanations explanations_;
    std::map<std::string, UndeclaredGroup> groups_{};
    std::vector<SeenFile> own_state_{};
    std::map<std::string, UndeclaredGroup> results_{};         // of a group, what may be a result by its name
    std::map<std::string, bool, std::less<>> environments_{};  // found by their marks; whether it is conda's
    std::vector<GivenUp> given_up_{};
    // Places that are named like runs of a root of ours, and are no run that is known. The marks tell whether they are:
    // they may come after the files beside them.
    std::map<std::string, UndeclaredGroup> maybe_runs_{};
    std::set<std::string, std::less<>> marked_{};  // such places with a record of a run, and roots with a mark
};

// Places whose content belongs to the operating system or is remade by the tool that made it (docs/gate.md lists them).
bool is_system_place(std::string_view path);
bool is_cache_place(std::string_view path, std::string_view home);
// Whether the path lies in a directory that is named like the cache of a tool (`__pycache__`); if asked for, only what
// that tool itself makes there. Nothing else is a cache for lying in such a place.
bool lies_in_cache(std::string_view path, bool as_made_by_its_tool);
// Absolute paths of directories that need no look at all, because everything in them is explained by place.
std::vector<std::string> places_not_searched(std::string_view home);

}  // namespace drawhitch::judge
