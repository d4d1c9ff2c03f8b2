#include "core/parse/structure_dcp.hpp"

#include <algorithm>
#include <map>

#include "core/parse/structure_pickle.hpp"

namespace drawhitch::parse {

namespace {

constexpr std::string_view k_dcp = "torch distributed checkpoint";
constexpr std::string_view k_module = "torch.distributed.checkpoint.metadata";
constexpr std::uint64_t k_longest_metadata = 64U << 20U;  // thousands of tensors on thousands of ranks need less
constexpr std::uint64_t k_most_pieces = 1'000'000;        // 16 bytes are kept for each

// The fields of torch's _StorageInfo stand behind each other, each with its name in front of it.
class Pieces {
  public:
    Status take(const PickleItem& item) {
        if (item.text == k_module) of_torch_ = true;
        switch (step_) {
            case Step::path:
                if (!item.text) return reset(item);
                path_ = *item.text;
                return expect(Step::offset_name);
            case Step::offset_name:
                return item.text == "offset" ? expect(Step::offset) : reset(item);
            case Step::offset:
                if (!item.number || *item.number < 0) return reset(item);
                offset_ = static_cast<std::uint64_t>(*item.number);
                return expect(Step::length_name);
            case Step::length_name:
                return item.text == "length" ? expect(Step::length) : reset(item);
            case Step::length:
                if (!item.number || *item.number < 0) return reset(item);
                return add(static_cast<std::uint64_t>(*item.number));
            case Step::path_name:
                break;
        }
        return reset(item);
    }
    [[nodiscard]] bool of_torch() const { return of_torch_; }
    [[nodiscard]] std::vector<StoredFile> files() const {
        std::vector<StoredFile> list;
        for (const auto& [name, pieces] : files_) {
            list.push_back({name, pieces});
            std::ranges::sort(list.back().pieces, {}, &StoredPiece::offset);
        }
        return list;
    }

  private:
    enum class Step { path_name, path, offset_name, offset, length_name, length };

    Status expect(Step step) {
        step_ = step;
        return ok();
    }
    Status reset(const PickleItem& item) { return expect(item.text == "relative_path" ? Step::path : Step::path_name); }
    Status add(std::uint64_t length) {
        if (++count_ > k_most_pieces) return unjudged_file("it tells of more than a million pieces");
        files_[path_].push_back({offset_, length});
        return expect(Step::path_name);
    }

    Step step_{Step::path_name};
    bool of_torch_{false};
    std::string path_{};
    std::uint64_t offset_{0};
    std::uint64_t count_{0};
    std::map<std::string, std::vector<StoredPiece>> files_{};
};

// The Error of a walk over what is not torch's says nothing about the file.
Status walk(Reader& file, Pieces& pieces) {
    PickleWalk pickle{file};
    while (true) {
        TRY_ASSIGN(const auto item, pickle.next());
        if (!item) return ok();
        TRY(pieces.take(*item));
    }
}

}  // namespace

Result<std::vector<StoredFile>> read_metadata(Reader& file) {
    if (file.size() > k_longest_metadata) return unjudged_file("it is longer than 64 MiB");
    Window window{file};
    TRY_ASSIGN(const std::string_view start, window.at(0, 1));
    if (start.empty()) return broken_file("the file is empty");
    if (start == std::string_view{"\0", 1}) return broken_file("it begins with zeros: its data was never written");
    if (start != "\x80") return unjudged_file("it is none of torch's");
    Pieces pieces;
    const Status walked = walk(file, pieces);
    if (!walked && walked.error().code == Code::integrity && !pieces.of_torch())
        return unjudged_file("it is no whole pickle, and none of torch's");
    TRY(walked);
    std::vector<StoredFile> files = pieces.files();
    if (!pieces.of_torch() || files.empty())
        return unjudged_file("a pickle is unverifiable: it cannot be checked without running it");
    return files;
}

Result<StructureVerdict> check_dcp_metadata(Reader& file) {
    const auto files = read_metadata(file);
    return as_verdict(k_dcp, files ? ok() : Status{files.error()});
}

}  // namespace drawhitch::parse
