#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "core/parse/structure_bytes.hpp"

// The layout is that of ggml's docs/gguf.md: head, keys with their values, tensor rows, padding, data.
namespace drawhitch::parse {

namespace {

constexpr std::uint64_t k_most_gguf_tensors = 1'000'000;  // 16 bytes are kept for each
constexpr std::uint64_t k_most_dimensions = 4;
constexpr std::uint64_t k_usual_alignment = 32;
constexpr int k_deepest_array = 8;
constexpr std::uint32_t k_bool = 7;
constexpr std::uint32_t k_text = 8;
constexpr std::uint32_t k_array = 9;

// Bytes of a value by its type; 0: not of one size.
constexpr std::array<std::uint8_t, 13> k_value_bytes{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

// What tensors are made of: so many elements in so many bytes.
struct ElementBlock {
    std::uint32_t type{0};
    std::uint32_t elements{0};
    std::uint32_t bytes{0};
};
constexpr std::array<ElementBlock, 31> k_blocks{{
    {0, 1, 4},     {1, 1, 2},      {2, 32, 18},    {3, 32, 20},    {6, 32, 22},    {7, 32, 24},    {8, 32, 34},
    {10, 256, 84}, {11, 256, 110}, {12, 256, 144}, {13, 256, 176}, {14, 256, 210}, {15, 256, 292}, {16, 256, 66},
    {17, 256, 74}, {18, 256, 98},  {19, 256, 50},  {20, 32, 18},   {21, 256, 110}, {22, 256, 82},  {23, 256, 136},
    {24, 1, 1},    {25, 1, 2},     {26, 1, 4},     {27, 1, 8},     {28, 1, 8},     {29, 256, 56},  {30, 1, 2},
    {34, 256, 54}, {35, 256, 66},  {39, 32, 17},
}};

struct TensorExtent {
    std::uint64_t begin{0};  // in the data
    std::uint64_t end{0};
};

std::uint64_t padded(std::uint64_t at, std::uint64_t alignment) {
    return at + (alignment - at % alignment) % alignment;
}

class GgufCheck {
  public:
    explicit GgufCheck(Reader& file) : window_(file) {}

    Status run() {
        TRY(read_head());
        for (std::uint64_t i = 0; i < keys_; ++i)
            TRY(read_pair());
        for (std::uint64_t i = 0; i < tensors_; ++i)
            TRY(read_tensor());
        return check_layout();
    }

  private:
    static Error ends() { return broken_file("the file ends inside its header"); }
    [[nodiscard]] std::uint64_t left() const { return window_.size() - at_; }

    Result<std::uint64_t> number(std::size_t count) {
        TRY_ASSIGN(const std::string_view bytes, window_.at(at_, count));
        if (bytes.size() < count) return ends();
        at_ += count;
        return big_ ? big_endian(bytes, 0, count) : little_endian(bytes, 0, count);
    }
    Status skip(std::uint64_t count) {
        if (count > left()) return ends();
        at_ += count;
        return ok();
    }
    Status skip_text() {
        TRY_ASSIGN(const std::uint64_t length, number(8));
        return skip(length);
    }
    // Names are for people and compared with short ones: only their first bytes are kept.
    Result<std::string> name() {
        TRY_ASSIGN(const std::uint64_t length, number(8));
        if (length > left()) return ends();
        const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(length, 100));
        TRY_ASSIGN(const std::string_view bytes, window_.at(at_, kept));
        std::string text{bytes};
        at_ += length;
        return text;
    }

    Status read_head() {
        TRY_ASSIGN(const std::string_view magic, window_.at(0, 4));
        if (magic.empty()) return broken_file("the file is empty");
        if (magic != "GGUF") return broken_file("it does not begin as a gguf file does");
        at_ = 4;
        TRY_ASSIGN(const std::string_view version, window_.at(at_, 4));
        if (version.size() < 4) return ends();
        // A big-endian file has its version the other way round.
        big_ = little_endian(version, 0, 2) == 0;
        TRY_ASSIGN(const std::uint64_t release, number(4));
        if (release == 0) return broken_file("its version is 0");
        if (release != 2 && release != 3) return unjudged_file("gguf version " + std::to_string(release));
        TRY_ASSIGN(tensors_, number(8));
        TRY_ASSIGN(keys_, number(8));
        // Each row takes more than 12 bytes: what cannot be there is not waited for.
        if (tensors_ > left() / 12 || keys_ > left() / 12)
            return broken_file("the file is too short for its own counts");
        if (tensors_ > k_most_gguf_tensors) return unjudged_file("it has more than a million tensors");
        return ok();
    }

    Status read_pair() {
        TRY_ASSIGN(const std::string key, name());
        TRY_ASSIGN(const std::uint64_t type, number(4));
        if (key != "general.alignment") return read_value(type, key, 0);
        if (type != 4) return broken_file("its alignment is no number");
        TRY_ASSIGN(alignment_, number(4));
        if (alignment_ == 0 || (alignment_ & (alignment_ - 1)) != 0)
            return broken_file("its alignment is " + std::to_string(alignment_) + ", which is no power of two");
        return ok();
    }

    Status read_value(std::uint64_t type, const std::string& key, int depth) {
        if (type >= k_value_bytes.size()) return broken_file("the value of " + printable(key) + " has an unknown type");
        if (type == k_text) return skip_text();
        if (type == k_array) return read_array(key, depth);
        if (type != k_bool) return skip(k_value_bytes[type]);
        TRY_ASSIGN(const std::uint64_t truth, number(1));
        return truth <= 1 ? ok() : broken_file("the value of " + printable(key) + " is neither true nor false");
    }

    Status read_array(const std::string& key, int depth) {
        TRY_ASSIGN(const std::uint64_t type, number(4));
        TRY_ASSIGN(const std::uint64_t count, number(8));
        if (type >= k_value_bytes.size()) return broken_file("the list " + printable(key) + " has an unknown type");
        if (depth == k_deepest_array) return broken_file("the list " + printable(key) + " is too deep");
        if (const std::uint64_t bytes = k_value_bytes[type]; bytes != 0) {
            if (count > left() / bytes) return ends();
            return skip(count * bytes);
        }
        for (std::uint64_t i = 0; i < count; ++i)
            TRY(read_value(type, key, depth + 1));
        return ok();
    }

    Status read_tensor() {
        TRY_ASSIGN(const std::string called, name());
        TRY_ASSIGN(const std::uint64_t dimensions, number(4));
        if (dimensions > k_most_dimensions)
            return broken_file("tensor " + printable(called) + " has too many dimensions");
        std::uint64_t elements = 1;
        for (std::uint64_t i = 0; i < dimensions; ++i) {
            TRY_ASSIGN(const std::uint64_t length, number(8));
            if (length != 0 && elements > std::numeric_limits<std::uint64_t>::max() / length / 1024)
                return broken_file("tensor " + printable(called) + " has an impossible shape");
            elements *= length;
        }
        TRY_ASSIGN(const std::uint64_t type, number(4));
        TRY_ASSIGN(const std::uint64_t offset, number(8));
        if (offset > window_.size()) return broken_file("tensor " + printable(called) + " lies outside the file");
        const auto* block = std::ranges::find(k_blocks, type, &ElementBlock::type);
        if (block == k_blocks.end()) {
            unknown_type_ = true;
            extents_.push_back({offset, offset});
            return ok();
        }
        if (elements % block->elements != 0)
            return broken_file("the shape of tensor " + printable(called) + " does not fit its type");
        extents_.push_back({offset, offset + elements / block->elements * block->bytes});
        return ok();
    }

    Status check_layout() {
        std::ranges::sort(extents_, {}, &TensorExtent::begin);
        const std::uint64_t data_at = padded(at_, alignment_);
        std::uint64_t end = 0;
        for (const TensorExtent& extent : extents_) {
            if (extent.begin % alignment_ != 0) return broken_file("a tensor lies off the alignment");
            if (extent.begin < end)
                return broken_file("two tensors overlap at data byte " + std::to_string(extent.begin));
            end = std::max(end, extent.end);
        }
        const std::uint64_t data = window_.size() > data_at ? window_.size() - data_at : 0;
        if (!extents_.empty() && end > data)
            return broken_file("the file ends " + std::to_string(end - data) + " bytes before its last tensor does");
        if (unknown_type_)
            return unjudged_file("it has tensors of a type that is not known here: their sizes were not checked");
        const std::uint64_t whole = padded(end, alignment_);
        if (!extents_.empty() && data < whole) return unjudged_file("the padding behind its last tensor is cut short");
        if (data > whole) return unjudged_file(counted(data - whole, "byte") + " follow its last tensor");
        return ok();
    }

    Window window_;
    std::uint64_t at_{0};
    bool big_{false};
    std::uint64_t keys_{0};
    std::uint64_t tensors_{0};
    std::uint64_t alignment_{k_usual_alignment};
    bool unknown_type_{false};
    std::vector<TensorExtent> extents_{};
};

}  // namespace

Result<StructureVerdict> check_gguf(Reader& file) {
    return as_verdict("gguf", GgufCheck{file}.run());
}

}  // namespace drawhitch::parse
