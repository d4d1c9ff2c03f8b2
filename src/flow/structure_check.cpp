#include "flow/structure_check.hpp"

#include <sys/stat.h>

#include <cerrno>

namespace drawhitch::flow {

namespace {

class DiskReader final : public parse::Reader {
  public:
    DiskReader(const Op& op, int fd, std::uint64_t size, std::string_view path)
        : op_(op), fd_(fd), size_(size), path_(path) {}
    [[nodiscard]] std::uint64_t size() const override { return size_; }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) override {
        TRY(op_.check());
        return pread_full(fd_, buffer, static_cast<std::size_t>(offset), path_);
    }

  private:
    const Op& op_;
    int fd_;
    std::uint64_t size_;
    std::string_view path_;
};

}  // namespace

Result<parse::StructureVerdict> check_file_structure(const Op& op, const disk::Root& root, const std::string& path) {
    if (!parse::has_known_ending(path)) return parse::StructureVerdict{};
    TRY_ASSIGN(const UniqueFd fd, root.read_file(path));
    struct stat found {};
    if (::fstat(fd.get(), &found) != 0) return errno_error(errno, "look at", path);
    DiskReader reader{op, fd.get(), static_cast<std::uint64_t>(found.st_size), path};
    return parse::check_structure(path, reader);
}

}  // namespace drawhitch::flow
