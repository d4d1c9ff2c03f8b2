#include <algorithm>
#include <bit>

#include "core/parse/structure_bytes.hpp"

// The superblock of "HDF5 File Format Specification Version 3.0", section II.A.
namespace drawhitch::parse {

namespace {

constexpr std::string_view k_signature = "\x89HDF\r\n\x1a\n";
constexpr std::size_t k_longest_superblock = 24 + 4 + 4 * 8 + 4 * 8;
constexpr std::uint64_t k_still_open = 1 | 4;  // opened for writing, or by a writer with readers beside it

// Bob Jenkins' lookup3 hash, as HDF5 uses it for its metadata: 12 bytes are mixed at a time, the last ones more.
struct Lookup3 {
    std::uint32_t a{0};
    std::uint32_t b{0};
    std::uint32_t c{0};

    void mix() {
        a = (a - c) ^ std::rotl(c, 4);
        c += b;
        b = (b - a) ^ std::rotl(a, 6);
        a += c;
        c = (c - b) ^ std::rotl(b, 8);
        b += a;
        a = (a - c) ^ std::rotl(c, 16);
        c += b;
        b = (b - a) ^ std::rotl(a, 19);
        a += c;
        c = (c - b) ^ std::rotl(b, 4);
        b += a;
    }
    void finish() {
        c = (c ^ b) - std::rotl(b, 14);
        a = (a ^ c) - std::rotl(c, 11);
        b = (b ^ a) - std::rotl(a, 25);
        c = (c ^ b) - std::rotl(b, 16);
        a = (a ^ c) - std::rotl(c, 4);
        b = (b ^ a) - std::rotl(a, 14);
        c = (c ^ b) - std::rotl(b, 24);
    }
    void add(std::string_view bytes) {
        const auto word = [&](std::size_t at) {
            return at >= bytes.size() ? 0U
                                      : static_cast<std::uint32_t>(
                                            little_endian(bytes, at, std::min<std::size_t>(4, bytes.size() - at)));
        };
        a += word(0);
        b += word(4);
        c += word(8);
    }
};

std::uint32_t metadata_checksum(std::string_view bytes) {
    const std::uint32_t start = 0xDEADBEEFU + static_cast<std::uint32_t>(bytes.size());
    Lookup3 hash{start, start, start};
    while (bytes.size() > 12) {
        hash.add(bytes.substr(0, 12));
        hash.mix();
        bytes.remove_prefix(12);
    }
    if (bytes.empty()) return hash.c;
    hash.add(bytes);
    hash.finish();
    return hash.c;
}

struct Superblock {
    std::uint64_t base{0};
    std::uint64_t end{0};   // of the file, as its writer left it
    std::uint64_t root{0};  // the root group's object header, from `base` on
    bool still_open{false};
    bool new_headers{false};  // object headers begin with a signature
};

bool is_width(std::uint64_t bytes) {
    return bytes == 2 || bytes == 4 || bytes == 8;
}

Error too_short() {
    return broken_file("the file ends inside its superblock");
}

Result<Superblock> read_old(std::string_view block, std::uint64_t version) {
    const std::size_t width = static_cast<std::size_t>(little_endian(block, 13, 1));
    if (!is_width(width) || !is_width(little_endian(block, 14, 1)))
        return broken_file("its superblock has impossible sizes");
    const std::size_t at = version == 0 ? 24 : 28;
    // Base, free space, end of file, driver; then the root group's entry: the place of its name, its header.
    if (block.size() < at + 6 * width) return too_short();
    return Superblock{little_endian(block, at, width), little_endian(block, at + 2 * width, width),
                      little_endian(block, at + 5 * width, width), false, false};
}

Result<Superblock> read_new(std::string_view block) {
    const std::size_t width = static_cast<std::size_t>(little_endian(block, 9, 1));
    if (!is_width(width) || !is_width(little_endian(block, 10, 1)))
        return broken_file("its superblock has impossible sizes");
    const std::size_t size = 12 + 4 * width;
    if (block.size() < size + 4) return too_short();
    if (metadata_checksum(block.substr(0, size)) != little_endian(block, size, 4))
        return broken_file("the checksum of its superblock is wrong");
    const bool still_open = (little_endian(block, 11, 1) & k_still_open) != 0;
    return Superblock{little_endian(block, 12, width), little_endian(block, 12 + 2 * width, width),
                      little_endian(block, 12 + 3 * width, width), still_open, true};
}

// It stands at the start, or behind a block of the user's, whose length is a power of two.
Result<std::uint64_t> find_superblock(Window& window) {
    for (std::uint64_t at = 0; at < window.size(); at = at == 0 ? 512 : at * 2) {
        TRY_ASSIGN(const std::string_view start, window.at(at, k_signature.size()));
        if (start == k_signature) return at;
    }
    return broken_file(window.size() == 0 ? "the file is empty" : "it has no HDF5 superblock");
}

Status check_root(Window& window, const Superblock& block) {
    const std::uint64_t at = block.base + block.root;
    if (at < block.base || at >= block.end) return broken_file("its root group lies outside the file");
    TRY_ASSIGN(const std::string_view header, window.at(at, 4));
    const bool right = block.new_headers ? header == "OHDR" : header.size() == 4 && header.starts_with("\x01");
    return right ? ok() : broken_file("there is no root group where its superblock says");
}

Status check_superblock(Reader& file) {
    Window window{file};
    TRY_ASSIGN(const std::uint64_t at, find_superblock(window));
    TRY_ASSIGN(const std::string_view bytes, window.at(at, k_longest_superblock));
    const std::string block{bytes};
    if (block.size() < 24) return too_short();
    const std::uint64_t version = little_endian(block, 8, 1);
    if (version > 3) return unjudged_file("HDF5 superblock version " + std::to_string(version));
    TRY_ASSIGN(const Superblock found, version < 2 ? read_old(block, version) : read_new(block));
    if (file.size() < found.end)
        return broken_file("the file is " + std::to_string(found.end - file.size()) +
                           " bytes shorter than its superblock says");
    TRY(check_root(window, found));
    if (found.still_open) return unjudged_file("its writer has not closed it");
    if (file.size() > found.end)
        return unjudged_file("it is longer than its superblock says, as its writer leaves it that has not closed it");
    return ok();
}

}  // namespace

Result<StructureVerdict> check_hdf5(Reader& file) {
    return as_verdict("hdf5", check_superblock(file));
}

}  // namespace drawhitch::parse
