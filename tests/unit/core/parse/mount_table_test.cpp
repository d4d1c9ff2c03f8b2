#include "core/parse/mount_table.hpp"

#include <catch2/catch_test_macros.hpp>

#include "core/parse/usage_places.hpp"

using namespace drawhitch;

namespace {

const std::string k_table =
    "23 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "nonsense\n"
    "90 23 0:51 /sub /mnt/my\\040disk\\134n rw master:2 shared:9 - nfs4 host:/ex\\040port rw,vers=4.2\n"
    "91 23 0:52 / /mnt/cut rw\n";

}  // namespace

TEST_CASE("the table of mounts is read with the blanks in its names, lines without sense are left out") {
    const auto mounts = parse::mount_table(k_table);
    REQUIRE(mounts.size() == 2);
    CHECK(mounts[0].point == "/");
    CHECK(mounts[0].type == "ext4");
    CHECK(mounts[0].source == "/dev/sda1");
    CHECK(mounts[0].device == "8:1");
    CHECK(mounts[1].point == "/mnt/my disk\\n");
    CHECK(mounts[1].root == "/sub");
    CHECK(mounts[1].source == "host:/ex port");
}

TEST_CASE("an escape that is none stays what it is, also at the end of a line") {
    const auto mount = parse::mount_line("1 2 0:1 / /a\\09\\04 rw - tmpfs x\\1 rw");
    REQUIRE(mount);
    CHECK(mount->point == "/a\\09\\04");
    CHECK(mount->source == "x\\1");
}

TEST_CASE("where places lie is read with names of any bytes, and a cut answer is not complete") {
    const std::string text = "motd\n\n=n0=B mounts\n" + k_table +
                             "\n=n0=E mounts rc=0\n\n=n0=B place:0\n/data/a\nb \n=n0=E place:0 rc=0\n"
                             "\n=n0=B place:1\n\n=n0=E place:1 rc=2\n\n=n0=B place:2\n\n=n0=E place:2 rc=1\n\n=n0=Z\n";
    const auto found = parse::usage_places(text, "n0", 3);
    REQUIRE(found.complete);
    CHECK(found.mounts.size() == 2);
    CHECK(found.places[0].real == "/data/a\nb ");
    CHECK(found.places[1].real.empty());
    CHECK(found.places[1].missing);
    CHECK_FALSE(found.places[2].missing);
    CHECK_FALSE(parse::usage_places(text, "n0", 4).complete);
    for (std::size_t size = 0; size + 1 < text.size(); ++size)
        CHECK_FALSE(parse::usage_places(text.substr(0, size), "n0", 3).complete);
}
