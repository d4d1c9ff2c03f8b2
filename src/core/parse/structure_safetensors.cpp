#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "core/parse/structure_safetensors.hpp"

namespace drawhitch::parse {

namespace {

// The limit of the format's own reference reader.
constexpr std::uint64_t k_longest_header = 100'000'000;
// A header of 100 MB could hold millions of tensors; real ones hold thousands. Keeps memory bounded.
constexpr std::size_t k_most_tensors = 1'000'000;
constexpr std::string_view k_metadata = "__metadata__";

// Bits of one element.
const std::map<std::string, std::uint64_t, std::less<>>& element_bits() {
    static const std::map<std::string, std::uint64_t, std::less<>> k_bits{
        {"BOOL", 8},  {"U8", 8},      {"I8", 8},      {"F8_E4M3", 8},     {"F8_E5M2", 8},    {"F8_E8M0", 8},
        {"F4", 4},    {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"I16", 16},        {"U16", 16},       {"F16", 16},
        {"BF16", 16}, {"I32", 32},    {"U32", 32},    {"F32", 32},        {"I64", 64},       {"U64", 64},
        {"F64", 64},  {"C64", 64},    {"C128", 128},  {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}};
    return k_bits;
}

struct Span {
    std::uint64_t begin{0};
    std::uint64_t end{0};
};

// Reads the header as events, so that its 100 MB never become a tree in memory. Every callback that answers false ends
// the parse with `problem` set.
class Header : public nlohmann::json_sax<nlohmann::json> {
  public:
    std::string problem{};
    std::vector<Span> spans{};
    std::set<std::string>* names{nullptr};  // of the tensors, where somebody wants them

    bool start_object(std::size_t) override {
        ++depth_;
        if (in_array_ || depth_ > 2) return fail("an object where none may be");
        if (depth_ == 2) tensor_ = {};
        return true;
    }
    bool end_object() override {
        --depth_;
        if (depth_ == 1 && !in_metadata_) return finish_tensor();
        in_metadata_ = false;
        return true;
    }
    bool key(string_t& name) override {
        if (depth_ == 1) {
            name_ = name;
            in_metadata_ = name == k_metadata;
            return true;
        }
        field_ = name;
        return true;
    }
    bool start_array(std::size_t) override {
        if (depth_ != 2 || in_metadata_ || in_array_) return fail("an array where none may be");
        in_array_ = true;
        std::optional<std::vector<std::uint64_t>>* list = list_of_field();
        if (list == nullptr) return fail("an unknown list " + printable(field_));
        if (list->has_value()) return fail("the list " + printable(field_) + " twice");
        list->emplace();
        return true;
    }
    bool end_array() override {
        in_array_ = false;
        return true;
    }
    bool number_unsigned(number_unsigned_t value) override {
        std::optional<std::vector<std::uint64_t>>* list = in_array_ ? list_of_field() : nullptr;
        if (list == nullptr) return fail("a number where none may be");
        (*list)->push_back(value);
        return (*list)->size() <= 64 || fail("a shape of more than 64 dimensions");
    }
    bool string(string_t& value) override {
        if (depth_ == 2 && in_metadata_ && !in_array_) return true;
        if (depth_ != 2 || in_array_ || field_ != "dtype") return fail("a text where none may be");
        tensor_.dtype = value;
        return true;
    }
    bool null() override { return fail("a null"); }
    bool boolean(bool) override { return fail("a truth value"); }
    bool number_integer(number_integer_t) override { return fail("a negative number"); }
    bool number_float(number_float_t, const string_t&) override { return fail("a fraction"); }
    bool binary(binary_t&) override { return fail("binary data"); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        return fail("no valid JSON at byte " + std::to_string(position));
    }

  private:
    struct Tensor {
        std::optional<std::string> dtype{};
        std::optional<std::vector<std::uint64_t>> shape{};
        std::optional<std::vector<std::uint64_t>> offsets{};
    };

    bool fail(std::string what) {
        if (problem.empty()) problem = "the header holds " + std::move(what);
        return false;
    }
    std::optional<std::vector<std::uint64_t>>* list_of_field() {
        if (field_ == "shape") return &tensor_.shape;
        if (field_ == "data_offsets") return &tensor_.offsets;
        return nullptr;
    }
    // Bytes that shape and type ask for; nothing if that is more than 64 bits can say or no whole number of bytes.
    static std::optional<std::uint64_t> bytes_of(const std::vector<std::uint64_t>& shape, std::uint64_t bits) {
        std::uint64_t product = bits;
        for (std::uint64_t length : shape) {
            if (length != 0 && product > std::numeric_limits<std::uint64_t>::max() / length) return std::nullopt;
            product *= length;
        }
        if (product % 8 != 0) return std::nullopt;
        return product / 8;
    }
    bool finish_tensor() {
        const std::string shown = printable(name_.substr(0, 100));
        if (!tensor_.dtype || !tensor_.shape || !tensor_.offsets || tensor_.offsets->size() != 2) {
            return fail("an incomplete entry for " + shown);
        }
        const auto bits = element_bits().find(*tensor_.dtype);
        if (bits == element_bits().end()) return fail("an unknown data type for " + shown);
        const Span span{(*tensor_.offsets)[0], (*tensor_.offsets)[1]};
        if (span.end < span.begin || bytes_of(*tensor_.shape, bits->second) != span.end - span.begin) {
            return fail("offsets that do not fit the shape of " + shown);
        }
        if (spans.size() == k_most_tensors) return fail("more than a million tensors");
        spans.push_back(span);
        if (names != nullptr) names->insert(name_);
        return true;
    }

    int depth_{0};
    bool in_array_{false};
    bool in_metadata_{false};
    std::string name_{};
    std::string field_{};
    Tensor tensor_{};
};

// Empty if the tensors cover the data from its first to its last byte without gap or overlap.
std::string layout_problem(std::vector<Span>& spans, std::uint64_t data_size) {
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    std::uint64_t at = 0;
    for (const Span& span : spans) {
        if (span.begin != at) return "the tensors leave a gap or overlap at data byte " + std::to_string(at);
        at = span.end;
    }
    if (at == data_size) return {};
    if (at < data_size) return std::to_string(data_size - at) + " bytes follow the last tensor";
    return "the file ends " + std::to_string(at - data_size) + " bytes before its last tensor does";
}

Result<std::string> read_header(Reader& file, std::uint64_t length) {
    // Grown as it is read: the length in the file is a claim, though one already checked against the file's size.
    std::string header;
    while (header.size() < length) {
        const std::size_t have = header.size();
        header.resize(have + static_cast<std::size_t>(std::min<std::uint64_t>(length - have, 1U << 20U)));
        TRY_ASSIGN(const std::size_t count, file.read_at(8 + have, std::span{header}.subspan(have)));
        if (have + count != header.size()) return shrank();
    }
    return header;
}

Status read_tensors(Reader& file, std::set<std::string>* names) {
    if (file.size() < 8) return broken_file("the file is shorter than its 8 byte header length");
    std::array<char, 8> raw{};
    TRY_ASSIGN(const std::size_t count, file.read_at(0, raw));
    if (count != raw.size()) return shrank();
    const std::uint64_t length = little_endian({raw.data(), raw.size()}, 0, raw.size());
    if (length > file.size() - 8) return broken_file("the file ends inside its header");
    if (length > k_longest_header) return broken_file("the header is longer than 100 MB");
    TRY_ASSIGN(const std::string text, read_header(file, length));
    if (!text.starts_with('{')) return broken_file("the header does not begin with '{'");
    Header header;
    header.names = names;
    const bool read = nlohmann::json::sax_parse(text, &header, nlohmann::json::input_format_t::json, true);
    if (!read || !header.problem.empty()) return broken_file(header.problem.empty() ? "no JSON" : header.problem);
    std::string problem = layout_problem(header.spans, file.size() - 8 - length);
    return problem.empty() ? ok() : broken_file(std::move(problem));
}

}  // namespace

Result<StructureVerdict> check_safetensors(Reader& file) {
    return as_verdict("safetensors", read_tensors(file, nullptr));
}

Result<std::set<std::string>> tensor_names(Reader& safetensors) {
    std::set<std::string> names;
    TRY(read_tensors(safetensors, &names));
    return names;
}

}  // namespace drawhitch::parse
