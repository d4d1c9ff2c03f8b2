#include "core/parse/structure_tar.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.hpp"
#include "core/parse/structure_bytes.hpp"

// Blocks and fields are those of POSIX.1-2017, pax, "ustar Interchange Format", and of GNU tar's manual, "Basic Tar
// Format".
namespace drawhitch::parse {

namespace {

constexpr std::size_t k_block = 512;
constexpr std::size_t k_size_at = 124;
constexpr std::size_t k_size_bytes = 12;
constexpr std::size_t k_sum_at = 148;
constexpr std::size_t k_sum_bytes = 8;
constexpr std::size_t k_type_at = 156;
constexpr std::size_t k_magic_at = 257;
constexpr std::size_t k_sparse_more_at = 482;        // in a header: a block of the map follows
constexpr std::size_t k_sparse_more_again_at = 504;  // in such a block: another one
constexpr std::uint64_t k_longest_extended = 1U << 20U;
constexpr std::uint64_t k_largest_member = 1ULL << 62U;
// What tar writes for an archive without members; more zeros than these were never written by it.
constexpr std::uint64_t k_empty_archive = 20 * k_block;

bool is_zero(std::string_view bytes) {
    return bytes.find_first_not_of('\0') == std::string_view::npos;
}

std::uint64_t padded(std::uint64_t size) {
    return (size + k_block - 1) / k_block * k_block;
}

std::optional<std::uint64_t> octal(std::string_view field) {
    const std::size_t first = field.find_first_not_of(' ');
    std::uint64_t value = 0;
    for (const char c : field.substr(std::min(first, field.size()))) {
        if (c == '\0' || c == ' ') break;
        if (c < '0' || c > '7') return std::nullopt;
        value = value * 8 + static_cast<std::uint64_t>(c - '0');
    }
    return value;
}

// Octal digits, or behind a set first bit a binary number.
std::optional<std::uint64_t> size_of(std::string_view header) {
    const std::string_view field = header.substr(k_size_at, k_size_bytes);
    if (static_cast<unsigned char>(field[0]) < 0x80) return octal(field);
    if (field[0] != '\x80' || !is_zero(field.substr(1, 3))) return std::nullopt;
    const std::uint64_t size = big_endian(field, 4, 8);
    return size > k_largest_member ? std::nullopt : std::optional{size};
}

// Old programs added the bytes as signed ones.
bool sum_is_right(std::string_view header) {
    std::uint64_t as_unsigned = 0;
    std::int64_t as_signed = 0;
    for (std::size_t i = 0; i < k_block; ++i) {
        const char c = i >= k_sum_at && i < k_sum_at + k_sum_bytes ? ' ' : header[i];
        as_unsigned += static_cast<unsigned char>(c);
        as_signed += static_cast<signed char>(c);
    }
    const auto stored = octal(header.substr(k_sum_at, k_sum_bytes));
    return stored && (*stored == as_unsigned || static_cast<std::int64_t>(*stored) == as_signed);
}

// Links, devices, directories and pipes have no data, whatever their size says.
bool has_data(char type) {
    return type < '1' || type > '6';
}

// The number behind "size=" in records of the form "LENGTH KEY=VALUE\n". Nothing when there is none; an Error when the
// records contradict themselves.
Result<std::optional<std::uint64_t>> extended_size(std::string_view records) {
    std::optional<std::uint64_t> size{};
    while (!records.empty()) {
        std::uint64_t length = 0;
        const auto read = std::from_chars(records.data(), records.data() + records.size(), length);
        const auto digits = static_cast<std::size_t>(read.ptr - records.data());
        const bool fits = read.ec == std::errc{} && length > digits + 1 && length <= records.size() &&
                          records[digits] == ' ' && records[static_cast<std::size_t>(length) - 1] == '\n';
        if (!fits) return broken_file("an extended header is damaged");
        const std::string_view record = records.substr(digits + 1, static_cast<std::size_t>(length) - digits - 2);
        records.remove_prefix(static_cast<std::size_t>(length));
        const std::string_view value = behind(record, "size=");
        if (value.empty()) continue;
        std::uint64_t number = 0;
        const auto end = std::from_chars(value.data(), value.data() + value.size(), number);
        if (end.ec != std::errc{} || end.ptr != value.data() + value.size() || number > k_largest_member)
            return broken_file("an extended header has an impossible size");
        size = number;
    }
    return size;
}

}  // namespace

Status TarWalk::feed(std::string_view bytes) {
    while (!bytes.empty()) {
        if (data_left_ > 0) {
            const auto passed = static_cast<std::size_t>(std::min<std::uint64_t>(data_left_, bytes.size()));
            skip(passed);
            bytes.remove_prefix(passed);
            continue;
        }
        const std::size_t taken = std::min(bytes.size(), k_block - block_.size());
        block_ += bytes.substr(0, taken);
        bytes.remove_prefix(taken);
        at_ += taken;
        if (block_.size() < k_block) break;
        TRY(take_block());
        block_.clear();
    }
    return ok();
}

void TarWalk::skip(std::uint64_t count) {
    data_left_ -= count;
    at_ += count;
}

Status TarWalk::take_block() {
    if (extended_left_ > 0) return take_extended();
    if (in_sparse_map_) {
        in_sparse_map_ = block_[k_sparse_more_again_at] != '\0';
        if (!in_sparse_map_) data_left_ = data_after_sparse_;
        return ok();
    }
    if (ended_) {
        trailing_ = trailing_ || !is_zero(block_);
        return ok();
    }
    if (!is_zero(block_)) return take_header();
    take_zeros();
    return ok();
}

void TarWalk::take_zeros() {
    ++zero_blocks_;
    ended_ = zero_blocks_ == 2;
}

Status TarWalk::take_header() {
    const std::string where = " at byte " + std::to_string(at_ - k_block);
    if (zero_blocks_ > 0) {
        ended_ = true;
        trailing_ = true;
        return ok();
    }
    if (!sum_is_right(block_)) {
        const bool is_tar = members_ > 0 || std::string_view{block_}.substr(k_magic_at).starts_with("ustar");
        if (!is_tar) return unjudged_file("it does not begin as a tar archive does");
        return broken_file("the checksum of the header" + where + " is wrong");
    }
    const auto size = size_of(block_);
    if (!size) return broken_file("the header" + where + " has an impossible size");
    ++members_;
    name_ = printable(std::string_view{block_}.substr(0, std::min<std::size_t>(100, block_.find('\0'))));
    const char type = block_[k_type_at];
    const bool more_map = type == 'S' && block_[k_sparse_more_at] != '\0';
    TRY(begin_data(type, *size));
    if (!more_map) return ok();
    in_sparse_map_ = true;
    data_after_sparse_ = data_left_;
    data_left_ = 0;
    return ok();
}

Status TarWalk::begin_data(char type, std::uint64_t size) {
    if (type == 'x') {
        if (size > k_longest_extended) return unjudged_file("an extended header is longer than 1 MiB");
        extended_.clear();
        extended_left_ = size;
        return ok();
    }
    // Long names and headers for all that follows stand before the member that the size was told for.
    const bool is_member = type != 'L' && type != 'K' && type != 'g';
    if (is_member && has_size_from_extended_) size = size_from_extended_;
    if (is_member) has_size_from_extended_ = false;
    if (has_data(type)) data_left_ = padded(size);
    return ok();
}

Status TarWalk::take_extended() {
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(extended_left_, k_block));
    extended_ += block_.substr(0, taken);
    extended_left_ -= taken;
    if (extended_left_ > 0) return ok();
    TRY_ASSIGN(const auto size, extended_size(extended_));
    has_size_from_extended_ = size.has_value();
    size_from_extended_ = size.value_or(0);
    return ok();
}

Status TarWalk::finish() const {
    if (at_ == 0) return broken_file("the file is empty");
    if (trailing_) return unjudged_file("bytes follow its end mark");
    if (data_left_ > 0)
        return broken_file("it ends " + counted(data_left_, "byte") + " before the end of its member " + name_);
    if (members_ == 0 && is_zero(block_) && (!ended_ || at_ > k_empty_archive))
        return broken_file("it holds zeros alone: its data was never written");
    if (ended_) {
        if (!is_zero(block_)) return unjudged_file("bytes follow its end mark");
        return ok();
    }
    if (extended_left_ > 0 || in_sparse_map_ || (!block_.empty() && !is_zero(block_)))
        return broken_file("it ends inside a header");
    if (zero_blocks_ == 0 && block_.empty())
        return broken_file("its end mark is missing: it was cut short behind its member " + name_);
    return unjudged_file("its end mark is cut short; the members before it are whole");
}

namespace {

Status check_plain_tar(Reader& file) {
    Window window{file};
    TarWalk walk;
    for (std::uint64_t at = 0; at < file.size();) {
        const std::uint64_t jump = std::min(walk.to_skip(), file.size() - at);
        if (jump > 0) {
            walk.skip(jump);
            at += jump;
            continue;
        }
        TRY_ASSIGN(const std::string_view piece, window.some(at, k_block));
        TRY(walk.feed(piece));
        at += piece.size();
    }
    return walk.finish();
}

}  // namespace

Result<StructureVerdict> check_tar(Reader& file) {
    return as_verdict("tar", check_plain_tar(file));
}

}  // namespace drawhitch::parse
