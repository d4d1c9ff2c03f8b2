#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "core/parse/structure_bytes.hpp"
#include "core/parse/structure_tar.hpp"

namespace drawhitch::parse {

namespace {

constexpr int k_gzip_alone = 16 + MAX_WBITS;  // zlib's way to ask for gzip's header and CRC
constexpr int k_largest_window = 27;          // 128 MiB, as much as zstd -d takes without being told

// Takes what was unpacked.
using Sink = std::function<Status(std::string_view)>;

// Walks through the packed bytes of one file; what it unpacks to goes to the sink, within a budget.
class Unpacking {
  public:
    Unpacking(Reader& file, const Sink& sink)
        : window_(file), sink_(sink), budget_(std::max(k_unpack_floor, file.size() * k_unpack_ratio)) {}

    [[nodiscard]] bool at_end() const { return at_ == window_.size(); }
    Result<std::string_view> next() {
        TRY_ASSIGN(const std::string_view piece, window_.some(at_, window_.size() - at_));
        at_ += piece.size();
        return piece;
    }
    Status give(std::string_view unpacked) {
        if (unpacked.size() > budget_) return unjudged_file("it unpacks to far more than its size");
        budget_ -= unpacked.size();
        return sink_(unpacked);
    }

  private:
    Window window_;
    const Sink& sink_;
    std::uint64_t budget_{0};
    std::uint64_t at_{0};
};

struct EndInflate {
    void operator()(z_stream* stream) const {
        ::inflateEnd(stream);
        delete stream;
    }
};

// A gzip file is one or more members behind each other, perhaps with zeros behind the last (RFC 1952).
class Gunzip {
  public:
    Gunzip(Reader& file, const Sink& sink) : file_(file), from_(file, sink) {}

    Status run() {
        Window window{file_};
        TRY(expect_start(window, "\x1F\x8B", "a gzip file"));
        auto fresh = std::make_unique<z_stream>();
        if (::inflateInit2(fresh.get(), k_gzip_alone) != Z_OK) return Error{Code::internal, "inflate cannot start"};
        stream_.reset(fresh.release());
        out_.resize(Window::k_most);
        while (!done_) {
            TRY(refill());
            if (!done_) TRY(step());
        }
        return ok();
    }

  private:
    // Between members it decides whether another one begins.
    Status refill() {
        if (stream_->avail_in == 0 && !pending_) {
            if (from_.at_end()) {
                done_ = true;
                return inside_ ? broken_file("the file ends inside its compressed data") : ok();
            }
            TRY_ASSIGN(const std::string_view piece, from_.next());
            in_ = piece;
            stream_->next_in = reinterpret_cast<Bytef*>(in_.data());
            stream_->avail_in = static_cast<uInt>(in_.size());
        }
        if (inside_ || members_ == 0) return ok();
        while (stream_->avail_in > 0 && *stream_->next_in == 0) {
            padded_ = true;
            ++stream_->next_in;
            --stream_->avail_in;
        }
        if (stream_->avail_in == 0) return refill_padding();
        if (padded_ || *stream_->next_in != 0x1F) return unjudged_file("bytes follow its compressed data");
        return ok();
    }
    // All of the piece was zeros: the next one is looked at, until the file ends.
    Status refill_padding() {
        while (!from_.at_end()) {
            TRY_ASSIGN(const std::string_view piece, from_.next());
            if (piece.find_first_not_of('\0') != std::string_view::npos)
                return unjudged_file("bytes follow its compressed data");
        }
        done_ = true;
        return ok();
    }

    Status step() {
        inside_ = true;
        stream_->next_out = reinterpret_cast<Bytef*>(out_.data());
        stream_->avail_out = static_cast<uInt>(out_.size());
        const int state = ::inflate(stream_.get(), Z_NO_FLUSH);
        const bool moved = state == Z_OK || state == Z_STREAM_END || (state == Z_BUF_ERROR && stream_->avail_in == 0);
        if (!moved) return broken_file("its compressed data is damaged");
        const std::size_t count = out_.size() - stream_->avail_out;
        pending_ = stream_->avail_out == 0;
        TRY(from_.give(std::string_view{out_}.substr(0, count)));
        if (state != Z_STREAM_END) return ok();
        ++members_;
        inside_ = false;
        pending_ = false;
        return ::inflateReset(stream_.get()) == Z_OK ? ok() : Error{Code::internal, "inflate cannot start again"};
    }

    Reader& file_;
    Unpacking from_;
    std::unique_ptr<z_stream, EndInflate> stream_{};
    std::string in_{};
    std::string out_{};
    std::uint64_t members_{0};
    bool inside_{false};
    bool pending_{false};  // more of what was taken waits to be given
    bool padded_{false};
    bool done_{false};
};

struct FreeStream {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

Error zstd_problem(std::size_t code) {
    const ZSTD_ErrorCode problem = ZSTD_getErrorCode(code);
    if (problem == ZSTD_error_frameParameter_windowTooLarge)
        return unjudged_file("it needs more than 128 MiB of memory to be unpacked");
    if (problem == ZSTD_error_dictionary_wrong) return unjudged_file("it was packed with a dictionary");
    if (problem != ZSTD_error_prefix_unknown) return broken_file("its compressed data is damaged");
    return unjudged_file("bytes follow its compressed data");
}

// A frame, or one that unpackers pass over.
Status expect_zstd(Reader& file) {
    Window window{file};
    TRY_ASSIGN(const std::string_view start, window.at(0, 4));
    if (start.size() == 4 && (little_endian(start, 0, 4) & 0xFFFFFFF0U) == ZSTD_MAGIC_SKIPPABLE_START) return ok();
    return expect_start(window, "\x28\xB5\x2F\xFD", "a zstd file");
}

Status unzstd(Reader& file, const Sink& sink) {
    TRY(expect_zstd(file));
    const std::unique_ptr<ZSTD_DStream, FreeStream> stream{ZSTD_createDStream()};
    if (!stream || ZSTD_isError(ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, k_largest_window)) != 0)
        return Error{Code::internal, "zstd cannot start"};
    Unpacking from{file, sink};
    std::string out(ZSTD_DStreamOutSize(), '\0');
    std::size_t wanted = 0;  // 0: between two frames
    while (!from.at_end()) {
        TRY_ASSIGN(const std::string_view piece, from.next());
        ZSTD_inBuffer input{piece.data(), piece.size(), 0};
        bool full = false;
        while (input.pos < input.size || full) {
            ZSTD_outBuffer output{out.data(), out.size(), 0};
            wanted = ZSTD_decompressStream(stream.get(), &output, &input);
            if (ZSTD_isError(wanted) != 0) return zstd_problem(wanted);
            full = output.pos == output.size && wanted != 0;
            TRY(from.give(std::string_view{out}.substr(0, output.pos)));
        }
    }
    return wanted == 0 ? ok() : broken_file("the file ends inside its compressed data");
}

Status gunzip(Reader& file, const Sink& sink) {
    return Gunzip{file, sink}.run();
}

const Sink& nowhere() {
    static const Sink k_nowhere = [](std::string_view) { return ok(); };
    return k_nowhere;
}

// What the packing says comes first: a file that is cut short is no archive with a missing end.
Status check_packed_tar(Reader& file, Status (*unpack)(Reader&, const Sink&)) {
    TarWalk walk;
    TRY(unpack(file, [&walk](std::string_view piece) { return walk.feed(piece); }));
    return walk.finish();
}

}  // namespace

Result<StructureVerdict> check_gzip(Reader& file) {
    return as_verdict("gzip", gunzip(file, nowhere()));
}
Result<StructureVerdict> check_zstd(Reader& file) {
    return as_verdict("zstd", unzstd(file, nowhere()));
}
Result<StructureVerdict> check_tar_gzip(Reader& file) {
    return as_verdict("tar gzip", check_packed_tar(file, gunzip));
}
Result<StructureVerdict> check_tar_zstd(Reader& file) {
    return as_verdict("tar zstd", check_packed_tar(file, unzstd));
}

}  // namespace drawhitch::parse
