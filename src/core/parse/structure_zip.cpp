#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "core/parse/structure_bytes.hpp"

// Offsets and signatures below are those of PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.3.16.
namespace drawhitch::parse {

namespace {

constexpr std::uint32_t k_local_signature = 0x04034b50;
constexpr std::uint32_t k_row_signature = 0x02014b50;
constexpr std::uint32_t k_end_signature = 0x06054b50;
constexpr std::uint32_t k_end64_signature = 0x06064b50;
constexpr std::uint32_t k_locator_signature = 0x07064b50;
constexpr std::size_t k_local_size = 30;
constexpr std::size_t k_row_size = 46;
constexpr std::size_t k_end_size = 22;
constexpr std::size_t k_end64_size = 56;
constexpr std::size_t k_locator_size = 20;
constexpr std::uint64_t k_most_rows = 4'000'000;  // 16 bytes are kept for each
constexpr std::size_t k_zip_piece = 256U << 10U;
constexpr std::uint32_t k_in_zip64 = 0xFFFFFFFF;  // the true value stands in the zip64 extra field
constexpr std::uint16_t k_in_zip64_rows = 0xFFFF;
constexpr std::uint64_t k_end64_head = 12;  // signature and size, which the size does not count
constexpr std::uint16_t k_encrypted = 1;
constexpr std::uint16_t k_sizes_follow = 8;  // local header without sizes: they stand behind the data
constexpr std::uint16_t k_stored = 0;
constexpr std::uint16_t k_deflated = 8;

StructureVerdict broken_zip(std::string detail) {
    return {model::Structure::broken, "zip", std::move(detail)};
}

struct Ends {
    std::uint64_t rows{0};
    std::uint64_t directory_offset{0};
    std::uint64_t directory_size{0};
    std::uint64_t directory_limit{0};  // where the end records begin
};

struct Row {
    std::string name{};
    std::uint16_t flags{0};
    std::uint16_t method{0};
    std::uint32_t crc{0};
    std::uint64_t packed{0};
    std::uint64_t unpacked{0};
    std::uint64_t offset{0};
};

struct Extent {
    std::uint64_t begin{0};
    std::uint64_t end{0};
};

// One check of one archive. Methods answer true to go on, false once `verdict_` says why not.
class ZipCheck {
  public:
    ZipCheck(Reader& file, bool of_torch) : file_(file), of_torch_(of_torch) {}

    Result<StructureVerdict> run() {
        TRY_ASSIGN(bool going, find_ends());
        if (going) {
            TRY_ASSIGN(going, check_rows());
        }
        if (going) going = check_overlaps();
        if (going) going = check_torch_layout();
        if (!going) return verdict_;
        const std::string format = torch_ ? "torch zip" : "zip";
        if (!unjudged_.empty()) return StructureVerdict{model::Structure::unknown_format, format, unjudged_};
        return StructureVerdict{model::Structure::sound, format, {}};
    }

  private:
    bool fail(std::string detail) {
        verdict_ = broken_zip(std::move(detail));
        return false;
    }

    Result<std::string> bytes_at(std::uint64_t offset, std::size_t count) {
        std::string bytes(count, '\0');
        TRY_ASSIGN(const std::size_t got, file_.read_at(offset, bytes));
        bytes.resize(got);
        return bytes;
    }

    Result<bool> find_ends() {
        if (file_.size() < k_end_size) return fail("the file is too short for a zip archive");
        const std::uint64_t tail_size = std::min<std::uint64_t>(file_.size(), k_end_size + 65535);
        const std::uint64_t tail_at = file_.size() - tail_size;
        TRY_ASSIGN(const std::string tail, bytes_at(tail_at, static_cast<std::size_t>(tail_size)));
        if (tail.size() != tail_size) return Error{Code::changed, "the file shrank while it was checked"};
        for (std::size_t at = tail.size() - k_end_size + 1; at-- > 0;) {
            // The record ends with a comment that reaches exactly to the end of the file.
            if (little_endian(tail, at, 4) != k_end_signature ||
                at + k_end_size + little_endian(tail, at + 20, 2) != tail.size()) {
                continue;
            }
            return read_ends(std::string_view{tail}.substr(at, k_end_size), tail_at + at);
        }
        return fail("no end record: the file is cut short or damaged at its end");
    }

    Result<bool> read_ends(std::string_view end, std::uint64_t end_at) {
        ends_ = {little_endian(end, 10, 2), little_endian(end, 16, 4), little_endian(end, 12, 4), end_at};
        const bool several_disks = little_endian(end, 4, 2) != little_endian(end, 6, 2) ||
                                   little_endian(end, 8, 2) != little_endian(end, 10, 2);
        if (several_disks) return fail("it claims to be one part of several");
        if (end_at >= k_locator_size) {
            TRY_ASSIGN(const std::string locator, bytes_at(end_at - k_locator_size, k_locator_size));
            if (locator.size() == k_locator_size && little_endian(locator, 0, 4) == k_locator_signature) {
                TRY_ASSIGN(const bool going, read_ends64(locator, end_at - k_locator_size));
                if (!going) return false;
            }
        }
        if (ends_.directory_offset > ends_.directory_limit ||
            ends_.directory_size != ends_.directory_limit - ends_.directory_offset) {
            return fail("the directory does not lie where the end record says");
        }
        if (ends_.rows > ends_.directory_size / k_row_size) return fail("the directory is too small for its rows");
        if (ends_.rows <= k_most_rows) return true;
        verdict_ = {model::Structure::unknown_format, "zip", "it has more than 4 million entries"};
        return false;
    }

    // What the plain end record says beside it is told once more, as far as it fits there.
    Result<bool> read_ends64(std::string_view locator, std::uint64_t locator_at) {
        const std::uint64_t at = little_endian(locator, 8, 8);
        if (at > locator_at || locator_at - at < k_end64_size)
            return fail("the zip64 end record lies outside the file");
        TRY_ASSIGN(const std::string end, bytes_at(at, k_end64_size));
        const bool right = end.size() == k_end64_size && little_endian(end, 0, 4) == k_end64_signature &&
                           little_endian(end, 4, 8) == locator_at - at - k_end64_head;
        if (!right) return fail("the zip64 end record is damaged");
        const bool several_disks = little_endian(end, 24, 8) != little_endian(end, 32, 8) ||
                                   little_endian(end, 16, 8) != 0 || little_endian(locator, 4, 4) != 0 ||
                                   little_endian(locator, 16, 4) > 1;
        if (several_disks) return fail("it claims to be one part of several");
        const Ends plain = ends_;
        ends_ = {little_endian(end, 32, 8), little_endian(end, 48, 8), little_endian(end, 40, 8), at};
        const bool agrees =
            (plain.rows == k_in_zip64_rows || plain.rows == ends_.rows) &&
            (plain.directory_offset == k_in_zip64 || plain.directory_offset == ends_.directory_offset) &&
            (plain.directory_size == k_in_zip64 || plain.directory_size == ends_.directory_size);
        return agrees || fail("its two end records contradict each other");
    }

    Result<bool> check_rows() {
        std::uint64_t at = ends_.directory_offset;
        for (std::uint64_t i = 0; i < ends_.rows; ++i) {
            Row row{};
            TRY_ASSIGN(const std::uint64_t next, read_row(at, row));
            if (next == 0) return false;
            at = next;
            note_torch(row.name);
            TRY_ASSIGN(const bool going, check_entry(row));
            if (!going) return false;
        }
        return at == ends_.directory_limit || fail("the directory has bytes that belong to no row");
    }

    // torch.save puts all of its entries below one directory, the objects in data.pkl and the format's number in
    // version; its reader refuses an archive without either.
    void note_torch(std::string_view name) {
        constexpr std::string_view k_objects = "data.pkl";
        constexpr std::string_view k_version = "version";
        constexpr std::size_t k_most_versions = 16;
        if (name == k_objects || name.ends_with("/data.pkl")) {
            torch_ = true;
            torch_directory_ = name.substr(0, name.size() - k_objects.size());
        } else if ((name == k_version || name.ends_with("/version")) && versions_.size() < k_most_versions) {
            versions_.emplace_back(name.substr(0, name.size() - k_version.size()));
        }
    }

    bool check_torch_layout() {
        if (!of_torch_ || !torch_) return true;
        const bool has_version = std::ranges::any_of(versions_, [this](const std::string& directory) {
            return directory == torch_directory_ || directory == torch_directory_ + ".data/";
        });
        return has_version || fail("torch's version record is missing");
    }

    // The offset of the next row; 0 once the verdict is set.
    Result<std::uint64_t> read_row(std::uint64_t at, Row& row) {
        const std::uint64_t left = ends_.directory_limit - at;
        TRY_ASSIGN(const std::string head, bytes_at(at, k_row_size));
        if (left < k_row_size || head.size() != k_row_size || little_endian(head, 0, 4) != k_row_signature) {
            fail("a row of the directory is damaged");
            return std::uint64_t{0};
        }
        const std::size_t name_size = static_cast<std::size_t>(little_endian(head, 28, 2));
        const std::size_t extra_size = static_cast<std::size_t>(little_endian(head, 30, 2));
        const std::uint64_t size = k_row_size + name_size + extra_size + little_endian(head, 32, 2);
        if (size > left) {
            fail("a row of the directory reaches past its end");
            return std::uint64_t{0};
        }
        TRY_ASSIGN(const std::string variable, bytes_at(at + k_row_size, name_size + extra_size));
        if (variable.size() != name_size + extra_size) return Error{Code::changed, "the file shrank"};
        row = {variable.substr(0, name_size),
               static_cast<std::uint16_t>(little_endian(head, 8, 2)),
               static_cast<std::uint16_t>(little_endian(head, 10, 2)),
               static_cast<std::uint32_t>(little_endian(head, 16, 4)),
               little_endian(head, 20, 4),
               little_endian(head, 24, 4),
               little_endian(head, 42, 4)};
        if (!widen(row, std::string_view{variable}.substr(name_size))) return std::uint64_t{0};
        return at + size;
    }

    // Values that did not fit 32 bits stand in the zip64 extra field, in this order, only those that did not fit.
    bool widen(Row& row, std::string_view extra) {
        if (row.packed != k_in_zip64 && row.unpacked != k_in_zip64 && row.offset != k_in_zip64) return true;
        while (extra.size() >= 4) {
            const std::size_t size = static_cast<std::size_t>(little_endian(extra, 2, 2));
            if (size > extra.size() - 4) break;
            if (little_endian(extra, 0, 2) == 1) return take_wide(row, extra.substr(4, size));
            extra.remove_prefix(4 + size);
        }
        return fail("the zip64 sizes of " + shown(row) + " are missing");
    }

    bool take_wide(Row& row, std::string_view wide) {
        for (std::uint64_t* value : {&row.unpacked, &row.packed, &row.offset}) {
            if (*value != k_in_zip64) continue;
            if (wide.size() < 8) return fail("the zip64 sizes of " + shown(row) + " are cut short");
            *value = little_endian(wide, 0, 8);
            wide.remove_prefix(8);
        }
        return true;
    }

    Result<bool> check_entry(const Row& row) {
        TRY_ASSIGN(const std::string head, bytes_at(row.offset, k_local_size));
        if (head.size() != k_local_size || little_endian(head, 0, 4) != k_local_signature) {
            return fail("the local header of " + shown(row) + " is damaged");
        }
        const std::size_t name_size = static_cast<std::size_t>(little_endian(head, 26, 2));
        const std::uint64_t data_at = row.offset + k_local_size + name_size + little_endian(head, 28, 2);
        TRY_ASSIGN(const std::string name, bytes_at(row.offset + k_local_size, name_size));
        if (!local_agrees(row, head, name)) return fail("the local header of " + shown(row) + " tells another story");
        if (data_at > ends_.directory_offset || row.packed > ends_.directory_offset - data_at) {
            return fail("the data of " + shown(row) + " reaches into the directory");
        }
        extents_.push_back({row.offset, data_at + row.packed});
        return check_data(row, data_at);
    }

    static bool local_agrees(const Row& row, std::string_view head, std::string_view name) {
        if (name != row.name || little_endian(head, 8, 2) != row.method) return false;
        if ((little_endian(head, 6, 2) & k_sizes_follow) != 0) return true;
        const std::uint64_t packed = little_endian(head, 18, 4);
        const std::uint64_t unpacked = little_endian(head, 22, 4);
        return little_endian(head, 14, 4) == row.crc && (packed == k_in_zip64 || packed == row.packed) &&
               (unpacked == k_in_zip64 || unpacked == row.unpacked);
    }

    Result<bool> check_data(const Row& row, std::uint64_t data_at) {
        if ((row.flags & k_encrypted) != 0) return skip("it is encrypted");
        if (row.method == k_stored) return check_stored(row, data_at);
        if (row.method != k_deflated) return skip("compression method " + std::to_string(row.method));
        const std::uint64_t budget = std::max(k_unpack_floor, file_.size() * k_unpack_ratio);
        if (row.unpacked > budget - std::min(budget, unpacked_)) return skip("it unpacks to far more than its size");
        unpacked_ += row.unpacked;
        return check_deflated(row, data_at);
    }

    bool skip(std::string why) {
        if (unjudged_.empty()) unjudged_ = std::move(why);
        return true;
    }

    Result<bool> check_stored(const Row& row, std::uint64_t data_at) {
        if (row.packed != row.unpacked) return fail("the sizes of " + shown(row) + " contradict each other");
        uLong crc = ::crc32(0, nullptr, 0);
        for (std::uint64_t done = 0; done < row.packed;) {
            TRY_ASSIGN(const std::string_view piece, piece_at(data_at + done, row.packed - done));
            crc = ::crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
            done += piece.size();
        }
        return crc == row.crc || fail("the CRC of " + shown(row) + " is wrong");
    }

    Result<std::string_view> piece_at(std::uint64_t offset, std::uint64_t left) {
        in_.resize(k_zip_piece);
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, k_zip_piece));
        TRY_ASSIGN(const std::size_t got, file_.read_at(offset, std::span{in_.data(), wanted}));
        if (got != wanted) return Error{Code::changed, "the file shrank while it was checked"};
        return std::string_view{in_.data(), got};
    }

    struct EndInflate {
        void operator()(z_stream* stream) const {
            ::inflateEnd(stream);
            delete stream;
        }
    };

    Result<bool> check_deflated(const Row& row, std::uint64_t data_at) {
        auto fresh = std::make_unique<z_stream>();
        if (::inflateInit2(fresh.get(), -MAX_WBITS) != Z_OK) return Error{Code::internal, "inflate cannot start"};
        const std::unique_ptr<z_stream, EndInflate> stream{fresh.release()};
        out_.resize(k_zip_piece);
        std::uint64_t produced = 0;
        std::uint64_t taken = 0;
        uLong crc = ::crc32(0, nullptr, 0);
        int state = Z_OK;
        while (state != Z_STREAM_END) {
            if (stream->avail_in == 0) {
                if (taken == row.packed) return fail("the data of " + shown(row) + " ends too early");
                TRY_ASSIGN(const std::string_view piece, piece_at(data_at + taken, row.packed - taken));
                stream->next_in = reinterpret_cast<Bytef*>(in_.data());
                stream->avail_in = static_cast<uInt>(piece.size());
                taken += piece.size();
            }
            stream->next_out = reinterpret_cast<Bytef*>(out_.data());
            stream->avail_out = static_cast<uInt>(out_.size());
            state = ::inflate(stream.get(), Z_NO_FLUSH);
            const bool moved =
                state == Z_OK || state == Z_STREAM_END || (state == Z_BUF_ERROR && stream->avail_in == 0);
            if (!moved) return fail("the data of " + shown(row) + " cannot be unpacked");
            const std::size_t count = out_.size() - stream->avail_out;
            produced += count;
            if (produced > row.unpacked) return fail(shown(row) + " unpacks to more than it says");
            crc = ::crc32(crc, reinterpret_cast<const Bytef*>(out_.data()), static_cast<uInt>(count));
        }
        if (produced != row.unpacked || taken != row.packed || stream->avail_in != 0) {
            return fail("the sizes of " + shown(row) + " are wrong");
        }
        return crc == row.crc || fail("the CRC of " + shown(row) + " is wrong");
    }

    // Entries that share bytes are how a small archive unpacks to an endless one; no honest writer makes them.
    bool check_overlaps() {
        std::sort(extents_.begin(), extents_.end(), [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
        for (std::size_t i = 1; i < extents_.size(); ++i) {
            if (extents_[i].begin < extents_[i - 1].end) return fail("two entries share the same bytes");
        }
        return true;
    }

    static std::string shown(const Row& row) { return printable(std::string_view{row.name}.substr(0, 100)); }

    Reader& file_;
    bool of_torch_{false};
    StructureVerdict verdict_{};
    Ends ends_{};
    bool torch_{false};
    std::string torch_directory_{};        // of data.pkl, with its slash
    std::vector<std::string> versions_{};  // directories with a version record
    std::string unjudged_{};
    std::uint64_t unpacked_{0};
    std::vector<Extent> extents_{};
    std::string in_{};
    std::string out_{};
};

}  // namespace

Result<StructureVerdict> check_zip(Reader& file) {
    return ZipCheck{file, false}.run();
}

Result<StructureVerdict> check_torch_zip(Reader& file) {
    return ZipCheck{file, true}.run();
}

}  // namespace drawhitch::parse
