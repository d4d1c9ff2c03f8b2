#include "core/judge/undeclared.hpp"

#include <algorithm>
#include <array>

#include "core/judge/box_path.hpp"
#include "core/judge/home_caches.hpp"
#include "core/judge/own_files.hpp"

namespace drawhitch::judge {

namespace {

// The operating system's own. What people do keep below such places comes first, as an exception.
constexpr std::array<std::string_view, 3> k_not_system{"/dev/shm", "/usr/src", "/var/lib/docker/volumes"};
constexpr std::array<std::string_view, 17> k_system{"/proc", "/sys",       "/dev",       "/run",     "/usr",    "/bin",
                                                    "/sbin", "/lib",       "/lib32",     "/lib64",   "/boot",   "/etc",
                                                    "/snap", "/var/cache", "/var/spool", "/var/log", "/var/lib"};

// Directories of these names are caches wherever they lie, and hold what their tools put there: is_cache_file.
constexpr std::array<std::string_view, 4> k_cache_names{"__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"};
constexpr std::array<std::string_view, 3> k_cache_notes{".gitignore", "CACHEDIR.TAG", "README.md"};

// Kinds of temporary directories that pip makes below /tmp, removes at its end, and leaves when it is killed.
constexpr std::array<std::string_view, 12> k_pip_kinds{
    "build-env", "build-tracker", "ephem-wheel-cache", "install", "metadata", "modern-metadata",
    "req-build", "req-tracker",   "standalone-pip",    "unpack",  "wheel",    "uninstall"};
constexpr std::array<std::string_view, 3> k_elastic_files{"error.json", "stdout.log", "stderr.log"};

// Packages are whatever their makers put into them.
constexpr std::array<std::string_view, 3> k_package_places{"/site-packages/", "/dist-packages/", "/pkgs/"};
// Beside them, no tool that makes environments leaves a file of weights or arrays.
constexpr std::array<std::string_view, 12> k_result_ends{".pt",  ".pth", ".ckpt", ".safetensors", ".gguf", ".npz",
                                                         ".npy", ".pkl", ".h5",   ".hdf5",        ".csv",  ".parquet"};
// `python -m venv` and the like make these; in "lib" only Python's own directory.
constexpr std::array<std::string_view, 4> k_venv_parts{"bin", "include", "lib", "lib64"};

// What conda puts into an environment. Anything else beside it is not its own: people make environments at the top of a
// project, too.
constexpr std::array<std::string_view, 17> k_environment_parts{"bin",
                                                               "sbin",
                                                               "lib",
                                                               "lib64",
                                                               "libexec",
                                                               "include",
                                                               "share",
                                                               "etc",
                                                               "ssl",
                                                               "man",
                                                               "pkgs",
                                                               "condabin",
                                                               "shell",
                                                               "compiler_compat",
                                                               "var",
                                                               "conda-meta",
                                                               "x86_64-conda-linux-gnu"};

bool has_only(std::string_view text, std::string_view letters) {
    return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

constexpr std::string_view k_digits = "0123456789";
constexpr std::string_view k_hex_digits = "0123456789abcdef";

// "a.cpython-312.pyc", and as it is called while it is written: ".pyc." and a number.
bool is_compiled_python(std::string_view name) {
    const std::size_t end = name.find_last_not_of(k_digits);
    if (end != std::string_view::npos && end + 1 < name.size() && name[end] == '.') name = name.substr(0, end);
    return name.size() > 4 && (name.ends_with(".pyc") || name.ends_with(".pyo"));
}

// `below` lies in a directory of that name.
bool is_cache_file(std::string_view cache, std::string_view below) {
    if (cache == "__pycache__") return below.find('/') == std::string_view::npos && is_compiled_python(below);
    if (std::ranges::find(k_cache_notes, below) != k_cache_notes.end()) return true;
    const std::size_t slash = below.find('/');
    const std::string_view name = base_of(below);
    if (cache == ".pytest_cache") return below.starts_with("v/cache/") && name.find('.') == std::string_view::npos;
    // "0.4.1/1234567890"
    if (cache == ".ruff_cache") return slash != std::string_view::npos && has_only(below.substr(slash + 1), k_digits);
    constexpr std::array<std::string_view, 3> k_mypy{".data.json", ".meta.json", ".data.ff"};
    constexpr std::array<std::string_view, 4> k_mypy_names{"cache.db", "missing_stubs", "@plugins_snapshot.json",
                                                           "@deps.meta.json"};
    return std::ranges::any_of(k_mypy, [name](std::string_view end) { return name.ends_with(end); }) ||
           std::ranges::find(k_mypy_names, name) != k_mypy_names.end();
}

// As Python's tempfile draws the ends of its names.
bool is_drawn(std::string_view text) {
    return text.size() == 8 && has_only(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
}

// `name` lies right under /tmp or /var/tmp.
bool is_temporary_file(std::string_view name) {
    if (name.starts_with("uv-") && name.ends_with(".lock")) {
        // "uv-<hash>.lock", or "uv-<package>-<hash>.lock"
        const std::string_view middle = name.substr(3, name.size() - 3 - 5);
        const std::string_view hash = middle.substr(middle.find_last_of('-') + 1);
        return hash.size() == 16 && has_only(hash, k_hex_digits);
    }
    if (name.starts_with(".X") && name.ends_with("-lock")) return has_only(name.substr(2, name.size() - 7), k_digits);
    // Directories that other users' programs close to us. What lies in one that can be read is looked at.
    if (name.starts_with("tmux-")) return has_only(name.substr(5), k_digits);
    constexpr std::string_view k_systemd = "systemd-private-";
    if (!name.starts_with(k_systemd)) return false;
    const std::string_view id = name.substr(k_systemd.size());
    return id.size() > 33 && has_only(id.substr(0, 32), k_hex_digits) && id[32] == '-';
}

// A file of that name somewhere below `folder`, which lies right under /tmp or /var/tmp.
bool is_in_temporary(std::string_view folder, std::string_view name, std::string_view home) {
    constexpr std::string_view k_inductor = "torchinductor_";
    // Named after the user.
    if (folder.starts_with(k_inductor))
        return folder.size() > k_inductor.size() && home.size() > 1 &&
               folder.substr(k_inductor.size()) == base_of(home);
    const std::size_t size = folder.size();
    if (size < 9 || !is_drawn(folder.substr(size - 8))) return false;
    const std::string_view start = folder.substr(0, size - 8);
    if (start == "pymp-") return true;
    if (start == "torchelastic_") return std::ranges::find(k_elastic_files, name) != k_elastic_files.end();
    return start.starts_with("pip-") && start.ends_with('-') && start.size() > 5 &&
           std::ranges::find(k_pip_kinds, start.substr(4, start.size() - 5)) != k_pip_kinds.end();
}

// Only what tools themselves leave there. Their names begin like those that people give to their own directories.
bool is_temporary(std::string_view path, std::string_view home) {
    for (const std::string_view folder : {std::string_view{"/tmp/"}, std::string_view{"/var/tmp/"}}) {
        if (!path.starts_with(folder)) continue;
        const std::string_view below = path.substr(folder.size());
        const std::size_t slash = below.find('/');
        if (slash == std::string_view::npos) return is_temporary_file(below);
        return is_in_temporary(below.substr(0, slash), base_of(path), home);
    }
    return false;
}

// A directory is an environment if it holds one of these: a few lines, or conda's history.
bool marks_environment(std::string_view path, std::uint64_t size) {
    constexpr std::uint64_t k_few_lines = 4096;
    return (base_of(path) == "pyvenv.cfg" && size <= k_few_lines) || path.ends_with("/conda-meta/history");
}

// `directory` is "/<part>/…" below the environment, with a slash behind it.
bool is_environment_part(std::string_view directory, bool conda) {
    const std::string_view inside = directory.substr(1);
    const std::string_view part = inside.substr(0, inside.find('/'));
    if (conda) return std::ranges::find(k_environment_parts, part) != k_environment_parts.end();
    const std::string_view rest = inside.substr(part.size() + 1);
    if (part == "lib" || part == "lib64") return rest.starts_with("python") || rest.starts_with("pypy");
    // Packages put pages and settings of their own below "share" and "etc".
    if (part == "share" || part == "etc") return !rest.empty();
    return std::ranges::find(k_venv_parts, part) != k_venv_parts.end();
}

// What in an environment is nevertheless asked about, as far as its name tells.
bool may_be_result(std::string_view path) {
    const auto holds = [path](std::string_view place) { return path.find(place) != std::string_view::npos; };
    const auto ends = [path](std::string_view end) { return path.ends_with(end); };
    return std::ranges::none_of(k_package_places, holds) && std::ranges::any_of(k_result_ends, ends);
}

std::string environment_of(std::string_view mark) {
    const std::string_view folder = parent_of(mark);
    return std::string{base_of(mark) == "pyvenv.cfg" ? folder : parent_of(folder)};
}

void join_into(UndeclaredGroup& group, const UndeclaredGroup& other) {
    group.files += other.files;
    group.bytes += other.bytes;
    group.unreadable = group.unreadable || other.unreadable;
    for (const NamedFile& file : other.listed)
        if (group.listed.size() < k_named_files) group.listed.push_back(file);
    if (group.newest < other.newest) {
        group.newest = other.newest;
        group.newest_name = other.newest_name;
    }
}

void add_to(UndeclaredGroup& group, const std::string& place, const SeenFile& file) {
    group.directory = place;
    join_into(group, {place,
                      1,
                      file.size,
                      file.changed,
                      std::string{base_of(file.path)},
                      file.unreadable,
                      {{file.path, file.size}}});
}

std::size_t depth_of(std::string_view path) {
    return static_cast<std::size_t>(std::ranges::count(path, '/'));
}

// Joins the deepest groups into their parents, one level at a time, until few enough are left. What lies in a run is
// never joined with what lies around it.
void join_neighbours(std::map<std::string, UndeclaredGroup>& groups, std::size_t most,
                     const std::vector<std::string>& runs) {
    std::size_t depth = 0;
    for (const auto& [directory, group] : groups)
        depth = std::max(depth, depth_of(directory));
    for (; groups.size() > most && depth > 1; --depth) {
        std::map<std::string, UndeclaredGroup> shallower{};
        for (auto& [directory, group] : groups) {
            const bool deep = depth_of(directory) >= depth && std::ranges::find(runs, directory) == runs.end();
            const std::string place{deep ? parent_of(directory) : std::string_view{directory}};
            UndeclaredGroup& target = shallower[place];
            target.directory = place;
            join_into(target, group);
        }
        groups = std::move(shallower);
    }
}

}  // namespace

bool is_system_place(std::string_view path) {
    const auto holds = [path](std::string_view place) { return is_inside(path, place); };
    return std::ranges::none_of(k_not_system, holds) && std::ranges::any_of(k_system, holds);
}

bool lies_in_cache(std::string_view path, bool as_made_by_its_tool) {
    for (std::size_t at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1)) {
        const std::string_view rest = path.substr(at + 1);
        const std::string_view folder = rest.substr(0, rest.find('/'));
        if (folder.size() == rest.size() || std::ranges::find(k_cache_names, folder) == k_cache_names.end()) continue;
        return !as_made_by_its_tool || is_cache_file(folder, rest.substr(folder.size() + 1));
    }
    return false;
}

bool is_cache_place(std::string_view path, std::string_view home) {
    if (lies_in_cache(path, true)) return true;
    // The directory itself. What lies in it was somebody's file before a check of the disk.
    if (base_of(path) == "lost+found") return true;
    if (is_temporary(path, home)) return true;
    if (home.empty() || home == "/" || !is_inside(path, home) || path.size() == home.size()) return false;
    return is_home_cache(path.substr(home.size() + 1));
}

std::vector<std::string> places_not_searched(std::string_view home) {
    std::vector<std::string> places{};
    for (const std::string_view place : k_system) {
        const auto kept_inside = [place](std::string_view kept) { return is_inside(kept, place); };
        if (std::ranges::none_of(k_not_system, kept_inside)) places.emplace_back(place);
    }
    // What is kept inside a system place is reached by looking into the place, so only its other parts are left out.
    for (const char* part : {"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec",
                             "/usr/share", "/usr/include", "/usr/games", "/usr/local", "/var/lib/dpkg", "/var/lib/apt",
                             "/var/lib/docker/overlay2", "/var/lib/docker/image", "/var/lib/containerd"})
        places.emplace_back(part);
    if (home.empty() || home == "/") return places;
    const std::vector<std::string> below = home_places_not_searched(home);
    places.insert(places.end(), below.begin(), below.end());
    return places;
}

Undeclared::Undeclared(Explanations explanations) : explanations_(std::move(explanations)) {
    for (const std::string& path : explanations_.given_up)
        given_up_.push_back({path, 0, 0});
}

Explained Undeclared::nearest(std::string_view path) const {
    for (std::string_view at = path;; at = parent_of(at)) {
        const auto found = explanations_.directories.find(std::string{at});
        if (found != explanations_.directories.end()) return found->second;
        if (at == "/") return Explained::no;
    }
}

// "<data>/drawhitch/<project>/runs/<run>", if the path lies below such a place and that is no run of this ledger.
std::string Undeclared::unknown_run_of(std::string_view path) const {
    constexpr std::string_view k_top = "/drawhitch/";
    constexpr std::string_view k_runs = "/runs/";
    for (std::size_t at = path.find(k_top); at != std::string_view::npos; at = path.find(k_top, at + 1)) {
        const std::size_t project = at + k_top.size();
        const std::size_t slash = path.find('/', project);
        if (slash == std::string_view::npos || !path.substr(slash).starts_with(k_runs)) continue;
        const std::size_t end = path.find('/', slash + k_runs.size());
        if (end == std::string_view::npos || end == slash + k_runs.size()) continue;
        std::string place{path.substr(0, end)};
        const bool known = std::ranges::find(explanations_.runs, place) != explanations_.runs.end();
        return known ? std::string{} : place;
    }
    return {};
}

// A name alone makes no run: people keep things in "runs", too.
void Undeclared::note_mark(std::string_view path) {
    constexpr std::array<std::string_view, 4> k_records{"claim", "run.json", "start.json", "exit.json"};
    const std::string_view folder = parent_of(path);
    if (base_of(path) == "lease-nonce" || std::ranges::find(k_records, base_of(path)) != k_records.end())
        marked_.emplace(folder);
}

bool Undeclared::is_shown(const UndeclaredGroup& run) const {
    return marked_.contains(run.directory) || marked_.contains(parent_of(parent_of(run.directory)));
}

bool Undeclared::reaches(const std::string& name, const std::string& path) const {
    const std::string unknown = unknown_run_of(path);
    return is_inside(path, name) && (unknown.empty() || is_inside(name, unknown)) &&
           std::ranges::none_of(explanations_.runs,
                                [&](const std::string& run) { return is_inside(path, run) && !is_inside(name, run); });
}

// A directory of ours is no hiding place: only what has the name and the size of our own files is ours.
bool Undeclared::is_ours(const SeenFile& file) const {
    if (is_own_file(file.path, file.size)) return true;
    const bool part = std::ranges::any_of(explanations_.written, [&](const std::string& place) {
        const std::size_t start = place == "/" ? 1 : place.size() + 1;
        return file.path.size() > start && is_inside(file.path, place) &&
               is_own_part(std::string_view{file.path}.substr(start), file.size);
    });
    return part || (is_run_control(base_of(file.path), file.size) &&
                    std::ranges::find(explanations_.runs, parent_of(file.path)) != explanations_.runs.end());
}

Explained Undeclared::explain(const SeenFile& file, bool may_be_ours) {
    const auto exact = explanations_.files.find(file.path);
    const Explained said = exact == explanations_.files.end() ? Explained::no : exact->second;
    if (said != Explained::no && (said != Explained::ours || may_be_ours)) return said;
    if (!file.directory && may_be_ours && is_ours(file)) return Explained::ours;
    const Explained by_directory = nearest(file.path);
    if (by_directory != Explained::no) return by_directory;
    if (is_system_place(file.path)) return Explained::system;
    if (is_cache_place(file.path, explanations_.home)) return Explained::cache;
    if (explanations_.scratch && explanations_.scratch(file.path)) return Explained::scratch;
    for (GivenUp& lost : given_up_) {
        if (!reaches(lost.path, file.path)) continue;
        ++lost.files;
        lost.bytes += file.size;
        return Explained::given_up;
    }
    return Explained::no;
}

Explained Undeclared::add(const SeenFile& file) {
    if (!file.directory && marks_environment(file.path, file.size)) {
        environments_.emplace(environment_of(file.path), base_of(file.path) != "pyvenv.cfg");
        return Explained::environment;
    }
    // A directory matters only when nobody could look into it.
    if (file.directory && !file.unreadable) return Explained::older;
    note_mark(file.path);
    return decide(file, true);
}

void Undeclared::disown(const SeenFile& file) {
    (void)decide(file, false);
}

Explained Undeclared::decide(const SeenFile& file, bool may_be_ours) {
    const auto holds = [&file](const std::string& root) { return is_inside(file.path, root); };
    const bool old = file.changed < explanations_.since && std::ranges::none_of(explanations_.inherited, holds);
    const std::string run = unknown_run_of(file.path);
    if (old && run.empty()) return Explained::older;
    const Explained why = explain(file, may_be_ours);
    if (why == Explained::ours && file.size > 0 && is_own_state(file.path)) own_state_.push_back(file);
    if (why != Explained::no) return why;
    if (!run.empty()) add_to(maybe_runs_[run], run, file);
    if (old) return Explained::older;
    const std::string_view parent = parent_of(file.path);
    const bool alone = file.unreadable || parent == "/";
    const std::string place{alone ? std::string_view{file.path} : parent};
    add_to(groups_[place], place, file);
    if (may_be_result(file.path)) add_to(results_[place], place, file);
    return Explained::no;
}

bool Undeclared::in_environment(std::string_view directory) const {
    if (environments_.empty()) return false;
    const std::string whole = std::string{directory} + "/";
    for (std::string_view at = parent_of(directory);; at = parent_of(at)) {
        const auto found = environments_.find(at);
        const std::size_t size = at == "/" ? 0 : at.size();
        if (found != environments_.end() && is_environment_part(std::string_view{whole}.substr(size), found->second))
            return true;
        if (at == "/") return false;
    }
}

std::vector<UndeclaredGroup> Undeclared::groups(std::size_t most) const {
    std::map<std::string, UndeclaredGroup> left{};
    for (const auto& [directory, group] : groups_) {
        // Marks may come after the files beside them, so environments are left out only now.
        const std::string run = unknown_run_of(directory + "/");
        const auto place = maybe_runs_.find(run);
        const bool told_there = place != maybe_runs_.end() && is_shown(place->second);
        if (told_there) continue;
        if (!in_environment(directory)) left.emplace(directory, group);
        const auto results = results_.find(directory);
        if (in_environment(directory) && results != results_.end()) left.emplace(directory, results->second);
    }
    join_neighbours(left, most, explanations_.runs);
    std::vector<UndeclaredGroup> list{};
    for (const auto& [directory, group] : maybe_runs_) {
        if (!is_shown(group)) continue;
        list.push_back(group);
        list.back().unknown_run = true;
    }
    for (auto& [directory, group] : left)
        list.push_back(std::move(group));
    std::ranges::stable_sort(list, [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return list;
}

std::vector<GivenUp> Undeclared::given_up() const {
    return given_up_;
}

}  // namespace drawhitch::judge
