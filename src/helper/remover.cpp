#include "helper/remover.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "helper/walker.hpp"

namespace drawhitch::helper {

namespace {

constexpr int k_names_per_step = 500;

}  // namespace

Outcome<Remover> Remover::start(Place place, bool recursive) {
    TRY_ASSIGN(const struct stat info, look_at(place));
    struct stat parent {};
    if (::fstatat(place.parent.get(), ".", &parent, 0) != 0) return refuse_errno(errno, place.path);
    if (info.st_dev != parent.st_dev) return refuse_errno(EXDEV, place.path);
    Remover remover;
    remover.dev_ = info.st_dev;
    remover.recursive_ = recursive;
    remover.place_ = std::move(place);
    return remover;
}

Outcome<bool> Remover::step() {
    for (int i = 0; i < k_names_per_step; ++i) {
        TRY_ASSIGN(const bool finished, remove_next());
        if (finished) return true;
    }
    return false;
}

Outcome<bool> Remover::remove_next() {
    const int parent = levels_.empty() ? place_.parent.get() : levels_.back().directory.get();
    if (!levels_.empty() && levels_.back().names.empty()) {
        // Emptied: remove the directory itself.
        const std::string name = levels_.back().name;
        const std::string path = levels_.back().path;
        levels_.pop_back();
        const int above = levels_.empty() ? place_.parent.get() : levels_.back().directory.get();
        if (::unlinkat(above, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) return refuse_errno(errno, path);
        return levels_.empty();
    }
    const bool top = levels_.empty();
    const std::string name = top ? place_.name : std::move(levels_.back().names.back());
    if (!top) levels_.back().names.pop_back();
    const std::string path = top ? place_.path : levels_.back().path + "/" + name;
    if (::unlinkat(parent, name.c_str(), 0) == 0) return top;
    if (errno == ENOENT && !top) return false;
    if (errno != EISDIR && errno != EPERM) return refuse_errno(errno, path);
    if (!recursive_) {
        if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0) {
            // ENOTDIR: it was no directory after all, so the first answer stands.
            return refuse_errno(errno == ENOTDIR ? EPERM : (errno == EEXIST ? ENOTEMPTY : errno), path);
        }
        return true;
    }
    TRY(enter(parent, name, path));
    return false;
}

Done Remover::enter(int parent, const std::string& name, std::string path) {
    auto directory = open_directory(parent, name, path);
    if (!directory) return refuse_errno(directory.error().error == ENOTDIR ? EPERM : directory.error().error, path);
    struct stat info {};
    if (::fstat(directory->get(), &info) != 0) return refuse_errno(errno, path);
    if (info.st_dev != dev_) return refuse_errno(EXDEV, path);
    TRY_ASSIGN(std::vector<std::string> names, list_names(directory->get(), path));
    Level level;
    level.directory = std::move(directory).value();
    level.name = name;
    level.path = std::move(path);
    level.names = std::move(names);
    levels_.push_back(std::move(level));
    return Unit{};
}

}  // namespace drawhitch::helper
