#include <catch2/catch_test_macros.hpp>

#include "support/structure_cases.hpp"
#include "support/tar_builder.hpp"

using namespace drawhitch;
using model::Structure;
using support::structure_of;
using support::tar_end;
using support::tar_header;
using support::tar_member;
using support::tar_padded;

namespace {

std::string small_archive() {
    return tar_member("a.txt", "some text") + tar_member("dir/", "", '5') + tar_member("b.bin", std::string(700, 'b'));
}

std::string pax_size(std::uint64_t size) {
    const std::string record = "size=" + std::to_string(size) + "\n";
    return std::to_string(record.size() + 3) + " " + record;
}

}  // namespace

TEST_CASE("whole tar archives are sound") {
    CHECK(structure_of("a.tar", small_archive() + tar_end()).state == Structure::sound);
    CHECK(structure_of("a.tar", support::golden_structure("gnu.tar")).state == Structure::sound);
    CHECK(structure_of("a.tar", support::golden_structure("pax.tar")).state == Structure::sound);
    // Without a member, as `tar -cf a.tar -T /dev/null` writes it.
    CHECK(structure_of("a.tar", std::string(10'240, '\0')).state == Structure::sound);
    // A hard link's size is that of what it links to: it has no data of its own.
    CHECK(structure_of("a.tar", tar_header("link", '1', 5000) + tar_end()).state == Structure::sound);
    const std::string large(300'000, 'x');
    CHECK(structure_of("a.tar", tar_member("large", large) + tar_member("b", "b") + tar_end()).state ==
          Structure::sound);
}

TEST_CASE("no part of a tar archive passes until its end mark is there") {
    for (const std::string& whole : {small_archive() + tar_end(), support::golden_structure("pax.tar")}) {
        const std::size_t end = whole.find_last_not_of('\0') / 512 * 512 + 512 + 1024;
        for (const std::size_t length : support::cuts_that_pass("a.tar", whole)) {
            INFO("cut at " << length);
            CHECK(length >= end);
        }
    }
    const std::string members = small_archive();
    CHECK(structure_of("a.tar", members).state == Structure::broken);
    CHECK(structure_of("a.tar", members).detail == "its end mark is missing: it was cut short behind its member b.bin");
    CHECK(structure_of("a.tar", members.substr(0, members.size() - 600)).state == Structure::broken);
    CHECK(structure_of("a.tar", members + std::string(700, '\0')).state == Structure::unknown_format);
}

TEST_CASE("every flipped bit of a tar header is found") {
    const std::string whole = small_archive() + tar_end();
    for (const std::size_t at : support::flips_that_pass("a.tar", whole)) {
        INFO("byte " << at);
        const std::size_t block = at / 512;
        const std::size_t in_block = at % 512;
        // Data and padding of the members (blocks 1, 4 and 5) have no checksum. Of the checksum's own field the first
        // zero may be a space, and so may what stands behind its digits.
        CHECK((block == 1 || block == 4 || block == 5 || in_block == 148 || in_block == 154 || in_block == 155));
    }
}

TEST_CASE("sizes are read in every form that tar writes") {
    const std::string binary = std::string("\x80\0\0\0\0\0\0\0\0\0\x02\xBC", 12);  // 700
    const std::string data = tar_padded(std::string(700, 'd'));
    CHECK(structure_of("a.tar", tar_header("b", '0', 0, binary) + data + tar_end()).state == Structure::sound);
    CHECK(structure_of("a.tar", tar_header("b", '0', 0, binary) + tar_end()).state == Structure::broken);
    const std::string extended = tar_member("pax", pax_size(700), 'x');
    CHECK(structure_of("a.tar", extended + tar_header("b", '0', 0) + data + tar_end()).state == Structure::sound);
    CHECK(structure_of("a.tar", extended + tar_header("b", '0', 0) + tar_end()).state == Structure::broken);
    const std::string negative = "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xF0";
    CHECK(structure_of("a.tar", tar_header("b", '0', 0, negative) + tar_end()).state == Structure::broken);
    CHECK(structure_of("a.tar", tar_header("b", '0', 0, "77777777777z") + tar_end()).state == Structure::broken);
    CHECK(structure_of("a.tar", tar_member("pax", "9 size=x\n", 'x') + tar_end()).state == Structure::broken);
    CHECK(structure_of("a.tar", tar_member("pax", "99 path=x\n", 'x') + tar_end()).state == Structure::broken);
}

TEST_CASE("the map of a sparse member that goes on in further blocks is passed over") {
    std::string header = tar_header("sparse", 'S', 600);
    header[482] = 1;
    header.replace(148, 8, "        ");
    std::uint64_t sum = 0;
    for (const char c : header)
        sum += static_cast<unsigned char>(c);
    header.replace(148, 8, support::octal_field(sum, 7) + ' ');
    std::string map(512, '\0');
    map[504] = 1;
    const std::string maps = map + std::string(512, '\0');
    const std::string data = tar_padded(std::string(600, 'd'));
    CHECK(structure_of("a.tar", header + maps + data + tar_member("b", "b") + tar_end()).state == Structure::sound);
    CHECK(structure_of("a.tar", header + map).state == Structure::broken);
}

TEST_CASE("what is no tar archive is not judged, one that was never written is broken; what follows the end is told") {
    CHECK(structure_of("a.tar", "").state == Structure::broken);
    // Such as a packed archive under a plain one's name, which tar unpacks all the same.
    CHECK(structure_of("a.tar", std::string(2000, 'x')).state == Structure::unknown_format);
    CHECK(structure_of("a.tar", std::string(100'000, '\0')).detail ==
          "it holds zeros alone: its data was never written");
    const std::string whole = small_archive() + tar_end();
    CHECK(structure_of("a.tar", whole + tar_member("c", "c") + tar_end()).state == Structure::unknown_format);
    CHECK(structure_of("a.tar", small_archive() + std::string(512, '\0') + tar_member("c", "c") + tar_end()).state ==
          Structure::unknown_format);
}
