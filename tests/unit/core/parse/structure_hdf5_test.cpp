#include <catch2/catch_test_macros.hpp>

#include "support/structure_cases.hpp"

using namespace drawhitch;
using model::Structure;
using support::golden_structure;
using support::structure_of;

namespace {

constexpr const char* k_files[] = {"earliest.h5", "latest.h5", "user_block.h5"};

}  // namespace

TEST_CASE("whole HDF5 files are sound, with an old superblock, a new one, and one behind a block of the user's") {
    for (const char* name : k_files) {
        const auto verdict = structure_of("model.weights.h5", golden_structure(name));
        INFO(name << ": " << verdict.detail);
        CHECK(verdict.state == Structure::sound);
        CHECK(verdict.format == "hdf5");
    }
}

TEST_CASE("every cut of an HDF5 file is found") {
    for (const char* name : k_files) {
        const std::string whole = golden_structure(name);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            const auto verdict = structure_of("a.h5", std::string_view{whole}.substr(0, length));
            if (verdict.state != Structure::broken) FAIL(name << " cut at " << length << ": " << verdict.detail);
        }
    }
}

TEST_CASE("every flipped bit of a new superblock is found, and of an old one those that tell of places") {
    const std::string latest = golden_structure("latest.h5");
    for (const std::size_t at : support::flips_that_pass("a.h5", latest)) {
        INFO("byte " << at);
        CHECK(at >= 48);  // behind the superblock, whose last four bytes are its checksum
    }
    const std::string earliest = golden_structure("earliest.h5");
    for (const std::size_t at : support::flips_that_pass("a.h5", earliest)) {
        INFO("byte " << at);
        CHECK_FALSE(at < 9);                 // signature and version
        CHECK_FALSE((at >= 40 && at < 48));  // end of the file
        CHECK_FALSE(at == 13);               // width of an offset
    }
}

TEST_CASE("an HDF5 file that its writer has not closed is told as such") {
    const std::string whole = golden_structure("earliest.h5");
    const auto longer = structure_of("a.h5", whole + std::string(4096, 'x'));
    CHECK(longer.state == Structure::unknown_format);
    CHECK(longer.detail.find("has not closed it") != std::string::npos);
    const std::string open = golden_structure("open.h5");
    CHECK(structure_of("a.h5", open).state == Structure::unknown_format);
    CHECK(structure_of("a.h5", open).detail == "its writer has not closed it");
}

TEST_CASE("what is no HDF5 file is broken, and a later superblock is not judged") {
    CHECK(structure_of("a.h5", "").detail == "the file is empty");
    CHECK(structure_of("a.hdf5", std::string(5000, '\0')).detail == "it has no HDF5 superblock");
    std::string later = golden_structure("latest.h5");
    later[8] = 9;
    CHECK(structure_of("a.h5", later).state == Structure::unknown_format);
}
