#include "io/disk/profile_store.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/text.hpp"
#include "io/disk/config_file.hpp"
#include "io/disk/embedded_file.hpp"

namespace drawhitch::disk {

namespace {

constexpr std::string_view k_extension = ".toml";

// Ids become parts of paths: nothing but these characters, so that none leaves the folder.
bool is_id(std::string_view text) {
    return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

const EmbeddedFile* find_shipped(std::string_view id) {
    const auto files = shipped_profiles();
    const auto at = std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& file) { return file.name == id; });
    return at == files.end() ? nullptr : &*at;
}

struct CloseFolder {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

Result<std::vector<std::string>> ProfileStore::ids() const {
    std::vector<std::string> ids;
    for (const EmbeddedFile& file : shipped_profiles())
        ids.emplace_back(file.name);
    const std::unique_ptr<DIR, CloseFolder> directory(::opendir(folder_.c_str()));
    if (!directory && errno != ENOENT && errno != ENOTDIR) return errno_error(errno, "list", folder_);
    if (directory) {
        for (const dirent* entry = ::readdir(directory.get()); entry != nullptr; entry = ::readdir(directory.get())) {
            std::string_view name(static_cast<const char*>(entry->d_name));
            if (!name.ends_with(k_extension)) continue;
            name.remove_suffix(k_extension.size());
            if (is_id(name)) ids.emplace_back(name);
        }
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

Result<ProfileText> ProfileStore::read(std::string_view id) const {
    const EmbeddedFile* shipped = is_id(id) ? find_shipped(id) : nullptr;
    if (is_id(id)) {
        std::string path = folder_ + "/";
        path.append(id).append(k_extension);
        TRY_ASSIGN(std::optional<ConfigFile> own, read_user_file(path));
        if (own) return ProfileText{std::string(id), own->path, std::move(own->text), false, shipped != nullptr};
    }
    if (shipped != nullptr) {
        std::string file(id);
        return ProfileText{file, file + ".toml (built in)", std::string(shipped->text), true, false};
    }
    TRY_ASSIGN(const std::vector<std::string> known, ids());
    return Error{Code::not_found, "there is no profile '" + printable(id) + "'"}
        .because("known: " + join(known, ", ") + "; your own go to " + printable(folder_) + "/")
        .then("drawhitch profile ls");
}

}  // namespace drawhitch::disk
