#include "flow/structure_check.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "core/exchange/shard_index.hpp"
#include "core/parse/structure_set.hpp"
#include "core/proto/path.hpp"
#include "io/disk/write_atomic.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::size_t k_longest_index = 64U << 20U;  // far more than the tensors of any model need

class DiskReader final : public parse::Reader {
  public:
    DiskReader(const Op& op, UniqueFd fd, std::uint64_t size, std::string path)
        : op_(op), fd_(std::move(fd)), size_(size), path_(std::move(path)) {}
    [[nodiscard]] std::uint64_t size() const override { return size_; }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) override {
        TRY(op_.check());
        return pread_full(fd_.get(), buffer, static_cast<std::size_t>(offset), path_);
    }

  private:
    const Op& op_;
    UniqueFd fd_;
    std::uint64_t size_;
    std::string path_;
};

Result<std::unique_ptr<DiskReader>> open_reader(const Op& op, const disk::Root& root, const std::string& path) {
    TRY_ASSIGN(UniqueFd fd, root.read_file(path));
    struct stat found {};
    if (::fstat(fd.get(), &found) != 0) return errno_error(errno, "look at", path);
    return std::make_unique<DiskReader>(op, std::move(fd), static_cast<std::uint64_t>(found.st_size), path);
}

std::string beside(const std::string& path, std::string_view name) {
    const std::string_view parent = proto::path_parent(path);
    return parent.empty() ? std::string{name} : std::string{parent} + "/" + std::string{name};
}

// What a file claims to stand beside it may be any bytes: names that lead elsewhere are names of nothing.
class DiskSiblings final : public parse::Siblings {
  public:
    DiskSiblings(const Op& op, const disk::Root& root, const std::string& path) : op_(op), root_(root), path_(path) {}
    Result<std::unique_ptr<parse::Reader>> open(std::string_view name) override {
        const std::string path = beside(path_, name);
        if (!proto::is_safe_path(path)) return std::unique_ptr<parse::Reader>{};
        auto reader = open_reader(op_, root_, path);
        if (!reader && reader.error().code == Code::not_found) return std::unique_ptr<parse::Reader>{};
        if (!reader) return reader.error();
        return std::unique_ptr<parse::Reader>{std::move(*reader)};
    }

  private:
    const Op& op_;
    const disk::Root& root_;
    const std::string& path_;
};

}  // namespace

Result<parse::StructureVerdict> check_file_structure(const Op& op, const disk::Root& root, const std::string& path) {
    if (!parse::has_known_ending(path)) return parse::StructureVerdict{};
    TRY_ASSIGN(const auto reader, open_reader(op, root, path));
    return parse::check_structure(path, *reader);
}

Result<parse::StructureVerdict> check_set_structure(const Op& op, const disk::Root& root, const std::string& path) {
    TRY_ASSIGN(const auto reader, open_reader(op, root, path));
    DiskSiblings siblings{op, root, path};
    return parse::check_set(path, *reader, siblings);
}

std::vector<std::string> named_by(const Op& op, const disk::Root& root, const std::string& path) {
    std::optional<std::vector<std::string>> names;
    if (exchange::is_shard_index(path)) {
        const auto text = disk::read_whole(root, path, k_longest_index);
        if (text) names = exchange::shard_files(*text);
    } else if (parse::tells_of_others(path)) {
        const auto reader = open_reader(op, root, path);
        auto stored = reader ? parse::stored_files(**reader) : Result<std::optional<std::vector<std::string>>>{Error{}};
        if (stored) names = std::move(*stored);
    }
    std::vector<std::string> paths;
    for (const std::string& name : names.value_or(std::vector<std::string>{}))
        paths.push_back(beside(path, name));
    return paths;
}

}  // namespace drawhitch::flow
