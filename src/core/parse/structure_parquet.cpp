#include <array>
#include <optional>

#include "core/parse/structure_bytes.hpp"

// The footer is a FileMetaData of parquet.thrift in Thrift's compact protocol (thrift-compact-protocol.md, "Struct
// encoding"). Only what tells where bytes lie is looked at; all else is passed over, within its bounds.
namespace drawhitch::parse {

namespace {

constexpr std::string_view k_mark = "PAR1";
constexpr std::string_view k_sealed_mark = "PARE";
constexpr std::uint64_t k_tail = 8;  // length of the footer, mark
constexpr int k_deepest_schema = 32;

enum Kind : std::uint8_t {
    k_stop = 0,
    k_true = 1,
    k_false = 2,
    k_byte = 3,
    k_i16 = 4,
    k_i32 = 5,
    k_i64 = 6,
    k_double = 7,
    k_binary = 8,
    k_list = 9,
    k_set = 10,
    k_map = 11,
    k_struct = 12,
    k_uuid = 13,
};

// Which struct is read, as far as it matters.
enum class Part { file, row_group, column, column_data, other };

// What a field of one holds, where the walk must know.
struct Child {
    Part part{Part::file};
    std::int16_t field{0};
    Part holds{Part::other};
};
constexpr std::array<Child, 3> k_children{{
    {Part::file, 4, Part::row_group},
    {Part::row_group, 1, Part::column},
    {Part::column, 3, Part::column_data},
}};

Part held_by(Part part, std::int16_t field) {
    for (const Child& child : k_children)
        if (child.part == part && child.field == field) return child.holds;
    return Part::other;
}

// Of the whole file, from field 1 on: version, schema, num_rows, row_groups. No reader does without.
constexpr std::array<std::uint8_t, 4> k_required{k_i32, k_list, k_i64, k_list};

// Of a column's data: fields 7, 9 and 11 of ColumnMetaData.
struct ColumnData {
    std::optional<std::int64_t> packed_size{};
    std::optional<std::int64_t> first_data_page{};
    std::optional<std::int64_t> dictionary{};
};

struct FieldHead {
    std::uint8_t kind{k_stop};
    std::int16_t number{0};
};

class Footer {
  public:
    // `begin` to `end` of the file; pages lie before `begin`.
    Footer(Reader& file, std::uint64_t begin, std::uint64_t end)
        : window_(file), data_end_(begin), at_(begin), end_(end) {}

    Status run() {
        TRY(read_struct(Part::file, 0));
        if (at_ != end_) return broken_file("its footer is longer than its content");
        return required_ == k_required.size() ? ok() : broken_file("its footer lacks what every reader needs");
    }

  private:
    static Error damaged() { return broken_file("its footer is damaged"); }

    Result<std::uint8_t> byte() {
        if (at_ == end_) return damaged();
        TRY_ASSIGN(const std::string_view bytes, window_.at(at_, 1));
        if (bytes.empty()) return shrank();
        ++at_;
        return static_cast<std::uint8_t>(bytes[0]);
    }
    Result<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            TRY_ASSIGN(const std::uint8_t next, byte());
            value |= static_cast<std::uint64_t>(next & 0x7FU) << shift;
            if (next < 0x80) return value;
        }
        return damaged();
    }
    Result<std::int64_t> number() {
        TRY_ASSIGN(const std::uint64_t folded, varint());
        return static_cast<std::int64_t>((folded >> 1U) ^ (~(folded & 1U) + 1U));
    }
    Status skip(std::uint64_t count) {
        if (count > end_ - at_) return damaged();
        at_ += count;
        return ok();
    }

    // A field's number is told as the distance from the last one, or, behind a distance of 0, as itself.
    Result<FieldHead> field_head(std::int16_t last) {
        TRY_ASSIGN(const std::uint8_t head, byte());
        if ((head & 0x0FU) == k_stop) return FieldHead{};
        const int distance = head >> 4U;
        if (distance != 0)
            return FieldHead{static_cast<std::uint8_t>(head & 0x0FU), static_cast<std::int16_t>(last + distance)};
        TRY_ASSIGN(const std::int64_t told, number());
        if (told < 1 || told > 32767) return damaged();
        return FieldHead{static_cast<std::uint8_t>(head & 0x0FU), static_cast<std::int16_t>(told)};
    }

    Status read_struct(Part part, int depth) {
        if (depth == k_deepest_schema) return damaged();
        ColumnData column{};
        std::int16_t last = 0;
        while (true) {
            TRY_ASSIGN(const FieldHead field, field_head(last));
            if (field.kind == k_stop) break;
            if (field.number <= last) return damaged();
            last = field.number;
            if (part == Part::file && static_cast<std::size_t>(last) <= k_required.size()) {
                if (field.kind != k_required[static_cast<std::size_t>(last) - 1]) return damaged();
                ++required_;
            }
            if (part == Part::column) elsewhere_ = last == 1 || (elsewhere_ && last > 1);
            std::optional<std::int64_t>* wanted = part == Part::column_data ? place_in(column, last) : nullptr;
            if (wanted == nullptr) {
                TRY(read_value(field.kind, held_by(part, last), depth, false));
                continue;
            }
            if (field.kind != k_i64) return damaged();
            TRY_ASSIGN(*wanted, number());
        }
        return part == Part::column_data ? check_column(column) : ok();
    }

    static std::optional<std::int64_t>* place_in(ColumnData& column, std::int16_t field) {
        if (field == 7) return &column.packed_size;
        if (field == 9) return &column.first_data_page;
        return field == 11 ? &column.dictionary : nullptr;
    }

    Status check_column(const ColumnData& column) const {
        if (!column.packed_size || !column.first_data_page) return damaged();
        if (elsewhere_) return ok();
        std::int64_t begin = *column.first_data_page;
        // Some writers leave 0 where there is no dictionary.
        if (column.dictionary && *column.dictionary > 0 && *column.dictionary < begin) begin = *column.dictionary;
        const bool inside =
            begin >= static_cast<std::int64_t>(k_mark.size()) && *column.packed_size >= 0 &&
            static_cast<std::uint64_t>(begin) <= data_end_ &&
            static_cast<std::uint64_t>(*column.packed_size) <= data_end_ - static_cast<std::uint64_t>(begin);
        return inside ? ok() : broken_file("its footer tells of columns outside the file");
    }

    // A truth value stands in the head of its field, and has a byte of its own in a list.
    Status read_value(std::uint8_t kind, Part holds, int depth, bool in_list) {
        switch (kind) {
            case k_true:
            case k_false:
                return in_list ? skip(1) : ok();
            case k_byte:
                return skip(1);
            case k_double:
                return skip(8);
            case k_uuid:
                return skip(16);
            case k_i16:
            case k_i32:
            case k_i64: {
                TRY(varint());
                return ok();
            }
            case k_binary: {
                TRY_ASSIGN(const std::uint64_t length, varint());
                return skip(length);
            }
            case k_list:
            case k_set:
                return read_list(holds, depth);
            case k_map:
                return read_map(depth);
            case k_struct:
                return read_struct(holds, depth + 1);
            default:
                return damaged();
        }
    }

    Status read_list(Part holds, int depth) {
        if (depth == k_deepest_schema) return damaged();
        TRY_ASSIGN(const std::uint8_t head, byte());
        std::uint64_t count = head >> 4U;
        if (count == 15) {
            TRY_ASSIGN(count, varint());
        }
        if (count > end_ - at_) return damaged();  // each takes a byte at least
        for (std::uint64_t i = 0; i < count; ++i)
            TRY(read_value(head & 0x0FU, holds, depth + 1, true));
        return ok();
    }

    Status read_map(int depth) {
        if (depth == k_deepest_schema) return damaged();
        TRY_ASSIGN(const std::uint64_t count, varint());
        if (count == 0) return ok();
        if (count > end_ - at_) return damaged();
        TRY_ASSIGN(const std::uint8_t kinds, byte());
        for (std::uint64_t i = 0; i < count; ++i) {
            TRY(read_value(kinds >> 4U, Part::other, depth + 1, true));
            TRY(read_value(kinds & 0x0FU, Part::other, depth + 1, true));
        }
        return ok();
    }

    Window window_;
    std::uint64_t data_end_{0};
    std::uint64_t at_{0};
    std::uint64_t end_{0};
    std::size_t required_{0};  // fields of k_required that were met
    bool elsewhere_{false};    // the column at hand names another file, in its first field
};

Status check_marks(Reader& file) {
    Window window{file};
    TRY_ASSIGN(const std::string_view start, window.at(0, k_mark.size()));
    if (start.empty()) return broken_file("the file is empty");
    const bool sealed = start == k_sealed_mark;
    if (!sealed && start != k_mark) return broken_file("it does not begin as a parquet file does");
    if (file.size() < k_mark.size() + k_tail) return broken_file("the file is cut short: it has no footer");
    TRY_ASSIGN(const std::string_view tail, window.at(file.size() - k_tail, k_tail));
    if (tail.size() != k_tail) return shrank();
    if (tail.substr(4) != (sealed ? k_sealed_mark : k_mark))
        return broken_file("the file is cut short or damaged at its end: it does not end as a parquet file does");
    const std::uint64_t length = little_endian(tail, 0, 4);
    const std::uint64_t end = file.size() - k_tail;
    if (length > end - k_mark.size()) return broken_file("its footer is longer than the file");
    if (sealed) return unjudged_file("its footer is encrypted");
    return Footer{file, end - length, end}.run();
}

}  // namespace

Result<StructureVerdict> check_parquet(Reader& file) {
    return as_verdict("parquet", check_marks(file));
}

}  // namespace drawhitch::parse
