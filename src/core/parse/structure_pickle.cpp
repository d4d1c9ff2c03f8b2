#include "core/parse/structure_pickle.hpp"

#include <algorithm>
#include <array>
#include <string_view>

// Opcodes are those of Python's pickletools, protocols 0 to 5.
namespace drawhitch::parse {

namespace {

constexpr std::size_t k_longest_text = 4096;  // longer ones are passed over
// A pickle of 64 MiB could ask for 20 million of them; torch's, of a large model, ask for some hundred thousand.
constexpr std::size_t k_most_remembered = 1'000'000;

// Without an argument.
constexpr std::string_view k_bare{"(012NRabd}elost])uQ\x81\x85\x86\x87\x88\x89\x8F\x90\x91\x92\x93\x97\x98"};

struct Argument {
    unsigned char opcode{0};
    std::uint8_t bytes{0};
};
// Of a fixed size, and of no interest.
constexpr std::array<Argument, 6> k_fixed{{{'G', 8}, {0x80, 1}, {0x82, 1}, {0x83, 2}, {0x84, 4}, {0x95, 8}}};
// A length, and so many bytes: bytes, byte arrays, long numbers.
constexpr std::array<Argument, 6> k_counted{{{'B', 4}, {'C', 1}, {0x8E, 8}, {0x96, 8}, {0x8B, 4}, {'T', 4}}};
constexpr std::array<Argument, 4> k_texts{{{'X', 4}, {0x8C, 1}, {0x8D, 8}, {'U', 1}}};

template <std::size_t Count>
std::size_t argument(const std::array<Argument, Count>& table, unsigned char opcode) {
    const auto* found = std::ranges::find(table, opcode, &Argument::opcode);
    return found == table.end() ? 0 : found->bytes;
}

Error cut_short() {
    return broken_file("its pickle ends before its end mark: the file is cut short");
}

}  // namespace

Result<std::string> PickleWalk::bytes(std::uint64_t count) {
    if (count > window_.size() - at_) return cut_short();
    const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(count, k_longest_text));
    TRY_ASSIGN(const std::string_view found, window_.at(at_, kept));
    if (found.size() != kept) return shrank();
    std::string text{found};
    at_ += count;
    return text;
}

Result<std::uint64_t> PickleWalk::number(std::size_t count) {
    TRY_ASSIGN(const std::string raw, bytes(count));
    return little_endian(raw, 0, count);
}

Status PickleWalk::skip(std::uint64_t count) {
    if (count > window_.size() - at_) return cut_short();
    at_ += count;
    return ok();
}

Status PickleWalk::skip_lines(int count) {
    while (count > 0) {
        if (at_ == window_.size()) return cut_short();
        TRY_ASSIGN(const std::string_view piece, window_.some(at_, window_.size() - at_));
        const std::size_t end = piece.find('\n');
        at_ += end == std::string_view::npos ? piece.size() : end + 1;
        if (end != std::string_view::npos) --count;
    }
    return ok();
}

Result<PickleItem> PickleWalk::text(std::size_t length_bytes) {
    TRY_ASSIGN(const std::uint64_t length, number(length_bytes));
    TRY_ASSIGN(std::string found, bytes(length));
    PickleItem item{};
    if (length <= k_longest_text) item.text = std::move(found);
    return item;
}

Result<PickleItem> PickleWalk::whole_number(unsigned char opcode) {
    PickleItem item{};
    if (opcode == 0x8A) {  // LONG1: its bytes, the lowest first
        TRY_ASSIGN(const std::uint64_t length, number(1));
        TRY_ASSIGN(const std::string raw, bytes(length));
        const bool fits = raw.size() < 8 || (raw.size() == 8 && static_cast<unsigned char>(raw[7]) < 0x80);
        const bool negative = !raw.empty() && static_cast<unsigned char>(raw.back()) >= 0x80;
        if (fits && !negative) item.number = static_cast<std::int64_t>(little_endian(raw, 0, raw.size()));
        return item;
    }
    const std::size_t width = opcode == 'J' ? 4 : opcode == 'M' ? 2 : 1;
    TRY_ASSIGN(const std::uint64_t value, number(width));
    item.number =
        opcode == 'J' ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value)) : static_cast<std::int64_t>(value);
    return item;
}

Status PickleWalk::remember(std::uint64_t place) {
    if (last_.text) {
        memo_[place] = *last_.text;
    } else {
        memo_.erase(place);
    }
    if (memo_.size() > k_most_remembered) return unjudged_file("its pickle has more than a million texts");
    return ok();
}

// Nothing: the opcode puts nothing new on the stack, or has nothing to tell.
Result<std::optional<PickleItem>> PickleWalk::take(unsigned char opcode) {
    const std::optional<PickleItem> nothing{};
    const std::optional<PickleItem> other{PickleItem{}};
    if (const std::size_t length = argument(k_texts, opcode); length > 0) {
        TRY_ASSIGN(PickleItem item, text(length));
        return std::optional{std::move(item)};
    }
    if (opcode == 'J' || opcode == 'K' || opcode == 'M' || opcode == 0x8A) {
        TRY_ASSIGN(PickleItem item, whole_number(opcode));
        return std::optional{std::move(item)};
    }
    if (opcode == 0x94) {  // MEMOIZE
        TRY(remember(remembered_++));
        return nothing;
    }
    if (opcode == 'q' || opcode == 'r') {  // BINPUT
        TRY_ASSIGN(const std::uint64_t place, number(opcode == 'q' ? 1 : 4));
        TRY(remember(place));
        return nothing;
    }
    if (opcode == 'h' || opcode == 'j') {  // BINGET
        TRY_ASSIGN(const std::uint64_t place, number(opcode == 'h' ? 1 : 4));
        const auto known = memo_.find(place);
        return known == memo_.end() ? other : std::optional{PickleItem{known->second, {}}};
    }
    if (const std::size_t size = argument(k_fixed, opcode); size > 0) {
        TRY(skip(size));
        return opcode == 'G' ? other : nothing;
    }
    if (const std::size_t length = argument(k_counted, opcode); length > 0) {
        TRY_ASSIGN(const std::uint64_t count, number(length));
        TRY(skip(count));
        return other;
    }
    if (std::string_view{"FILPSVgp"}.find(static_cast<char>(opcode)) != std::string_view::npos) {
        TRY(skip_lines(1));
        return other;
    }
    if (opcode == 'c' || opcode == 'i') {
        TRY(skip_lines(2));
        return other;
    }
    if (k_bare.find(static_cast<char>(opcode)) == std::string_view::npos)
        return unjudged_file("its pickle has an unknown opcode at byte " + std::to_string(at_ - 1));
    return opcode == '(' ? nothing : other;
}

Result<std::optional<PickleItem>> PickleWalk::next() {
    while (true) {
        TRY_ASSIGN(const std::uint64_t opcode, number(1));
        if (opcode == '.') return std::optional<PickleItem>{};
        TRY_ASSIGN(auto item, take(static_cast<unsigned char>(opcode)));
        if (!item) continue;
        last_ = *item;
        return item;
    }
}

}  // namespace drawhitch::parse
