#include "io/disk/landing_notes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "core/proto/limits.hpp"
#include "io/disk/write_atomic.hpp"

namespace drawhitch::disk {

namespace {

constexpr std::size_t k_longest_notes = 1U << 30U;
constexpr char k_put = 'P';
constexpr char k_aside = 'A';

// Up to the next NUL, which no path has; nothing if the text ends before.
std::optional<std::string_view> field(std::string_view& text) {
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = text.substr(0, end);
    text.remove_prefix(end + 1);
    return found;
}

}  // namespace

LandingNotes read_landing_notes(const Root& destination, const std::string& id) {
    LandingNotes notes{};
    const std::string where = std::string{proto::k_private_dir} + "/" + id + "/" + LandingNotebook::k_name;
    const auto whole = read_whole(destination, where, k_longest_notes);
    if (!whole) return notes;
    std::string_view text{*whole};
    while (!text.empty()) {
        const char kind = text.front();
        text.remove_prefix(1);
        if (kind == '\0') continue;  // no path and no digest is empty: the end of a note that was cut off
        const auto first = field(text);
        const auto second = first ? field(text) : std::nullopt;
        if (!second) break;
        if (kind == k_put) notes.put.emplace(*first, *second);
        if (kind == k_aside) notes.aside.push_back({std::string{*first}, std::string{*second}});
    }
    return notes;
}

Result<LandingNotebook> LandingNotebook::open(int directory) {
    constexpr int k_flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
    UniqueFd fd{::openat(directory, k_name, k_flags, 0600)};
    if (!fd) return errno_error(errno, "create", k_name);
    // Ends a note that a crash cut off.
    if (::lseek(fd.get(), 0, SEEK_END) > 0) TRY(write_all(fd.get(), std::string_view{"\0\0", 2}, k_name));
    return LandingNotebook{std::move(fd)};
}

std::string LandingNotebook::put_note(std::string_view path, std::string_view root) {
    std::string note{k_put};
    note.append(path).push_back('\0');
    note.append(root).push_back('\0');
    return note;
}

std::string LandingNotebook::aside_note(const MovedAside& moved) {
    std::string note{k_aside};
    note.append(moved.path).push_back('\0');
    note.append(moved.to).push_back('\0');
    return note;
}

Status LandingNotebook::write(std::string_view notes) {
    return write_all(fd_.get(), notes, k_name);
}

Status LandingNotebook::flush() {
    if (::fdatasync(fd_.get()) == 0) return ok();
    return errno_error(errno, "flush", k_name);
}

}  // namespace drawhitch::disk
