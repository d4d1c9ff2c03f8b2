// Which places on the laptop are really a box's, and die with it.
#include "flow/dying_places.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>

#include "support/temp_dir.hpp"

using namespace drawhitch;
using support::write_file;

namespace {

// A box with one directory that dies, below "/wiped" unless told otherwise; the rest of it survives.
struct Box {
    model::Profile profile{};
    model::Lease lease{};
    judge::TierMap tiers;

    explicit Box(const std::string& wiped = "/wiped") : profile(profile_with(wiped)), tiers(map_of(profile)) {
        lease.endpoint.transport = model::TransportKind::ssh;
        lease.endpoint.host = "box.example";
        lease.endpoint.alias = "gpu";
        lease.root = wiped + "/drawhitch/p";
        lease.root_nonce = "0123456789abcdef";
    }
    static model::Profile profile_with(const std::string& wiped) {
        model::Profile made{};
        made.storage.resize(2);
        made.storage[0].name = "box";
        made.storage[0].path = wiped;
        made.storage[1].name = "rest";
        made.storage[1].path = "/";
        return made;
    }
    static judge::TierMap map_of(const model::Profile& profile) {
        model::MeterVerb verb{};
        verb.destroys = {"box"};
        return {profile, verb, ""};
    }
};

std::string escaped(std::string path) {
    for (std::size_t at = 0; (at = path.find(' ', at)) != std::string::npos;)
        path.replace(at, 1, "\\040");
    return path;
}

// A line of the table of mounts, among others.
std::string table(const std::string& point, const std::string& kind, const std::string& source) {
    return "22 28 0:21 / /proc rw,nosuid - proc proc rw\n" + std::string{"broken line\n"} + "97 28 0:51 / " +
           escaped(point) + " rw,nosuid,relatime shared:7 - " + kind + " " + escaped(source) + " rw,user_id=0\n" +
           "98 28 8:1 / /boot rw - ext4 /dev/sda1 rw\n";
}

}  // namespace

TEST_CASE("a copy on a mount of the box's dying place is none") {
    const support::TempDir dir;
    const std::string point = dir / "the mount";
    std::filesystem::create_directories(point + "/pulls");
    std::filesystem::create_directories(dir / "beside");
    for (const char* name : {"/the mount/pulls/a.pt", "/the mount/b.pt", "/beside/c.pt", "/the mount beside"})
        write_file(dir.path() + name, "abc");
    std::filesystem::create_directory_symlink(point + "/pulls", dir / "link");
    Box box;

    SECTION("whatever its kind and however the host is called") {
        for (const char* source : {"me@box.example:/wiped/data", "box.example:/wiped", "gpu:/wiped/", "gpu:home"}) {
            INFO(source);
            flow::DyingPlaces places{box.lease, box.tiers, table(point, "fuse.sshfs", source)};
            CHECK(places.holds(point + "/pulls/a.pt"));
            CHECK(places.holds(point + "/b.pt"));
            CHECK(places.holds(dir / "link/a.pt"));
            CHECK_FALSE(places.holds(dir / "beside/c.pt"));
            CHECK_FALSE(places.holds(dir / "the mount beside"));
        }
    }
    SECTION("but of what survives it is one") {
        flow::DyingPlaces places{box.lease, box.tiers, table(point, "nfs4", "box.example:/volume")};
        CHECK_FALSE(places.holds(point + "/pulls/a.pt"));
    }
    SECTION("where the mount holds both, the path in it decides") {
        flow::DyingPlaces places{box.lease, box.tiers, table(dir / "the mount", "nfs4", "box.example:/")};
        CHECK_FALSE(places.holds(point + "/pulls/a.pt"));
        std::filesystem::create_directories(point + "/wiped/x");
        write_file(point + "/wiped/x/a.pt", "abc");
        CHECK(places.holds(point + "/wiped/x/a.pt"));
    }
    SECTION("and another host's is no matter") {
        for (const char* source : {"other.example:/wiped", "box.example.org:/wiped", ":/wiped", "/dev/sdb1"}) {
            INFO(source);
            flow::DyingPlaces places{box.lease, box.tiers, table(point, "nfs4", source)};
            CHECK_FALSE(places.holds(point + "/pulls/a.pt"));
        }
    }
}

TEST_CASE("below the mark of the box's project nothing is a copy, by whatever way one came there") {
    const support::TempDir dir;
    std::filesystem::create_directories(dir / "seen/drawhitch/p/deep/er");
    std::filesystem::create_directories(dir / "seen/other");
    const std::string copy = dir / "seen/drawhitch/p/deep/er/a.pt";
    write_file(copy, "abc");
    write_file(dir / "seen/other/b.pt", "abc");
    const std::string mark = dir / "seen/drawhitch/p/lease-nonce";

    SECTION("with this lease's mark") {
        Box box;
        write_file(mark, box.lease.root_nonce + "\n");
        flow::DyingPlaces places{box.lease, box.tiers, ""};
        CHECK(places.holds(copy));
        CHECK_FALSE(places.holds(dir / "seen/other/b.pt"));
        std::filesystem::create_directory_symlink(dir / "seen/drawhitch/p/deep", dir / "way");
        CHECK(places.holds(dir / "way/er/a.pt"));
    }
    SECTION("with another's") {
        Box box;
        write_file(mark, "fedcba9876543210\n");
        CHECK_FALSE(flow::DyingPlaces{box.lease, box.tiers, ""}.holds(copy));
    }
    SECTION("with none, or of a lease that never made one") {
        Box box;
        CHECK_FALSE(flow::DyingPlaces{box.lease, box.tiers, ""}.holds(copy));
        write_file(mark, "");
        box.lease.root_nonce.clear();
        CHECK_FALSE(flow::DyingPlaces{box.lease, box.tiers, ""}.holds(copy));
    }
    SECTION("where the root survives") {
        Box box;
        box.lease.root = "/volume/drawhitch/p";
        write_file(mark, box.lease.root_nonce + "\n");
        CHECK_FALSE(flow::DyingPlaces{box.lease, box.tiers, ""}.holds(copy));
    }
}

TEST_CASE("where the box is this machine, its dying places are those of the laptop") {
    const support::TempDir dir;
    std::filesystem::create_directories(dir / "wiped/drawhitch/p");
    std::filesystem::create_directories(dir / "kept");
    write_file(dir / "wiped/a.pt", "abc");
    write_file(dir / "kept/a.pt", "abc");
    std::filesystem::create_directory_symlink(dir / "wiped", dir / "link");
    Box box{dir / "wiped"};
    const auto seen = [&] { return flow::DyingPlaces{box.lease, box.tiers, ""}; };
    CHECK_FALSE(seen().holds(dir / "wiped/a.pt"));
    const bool by_mark = GENERATE(false, true);
    if (by_mark) {
        write_file(box.lease.root + "/lease-nonce", box.lease.root_nonce);
    } else {
        box.lease.endpoint.transport = model::TransportKind::local;
    }
    CHECK(seen().holds(dir / "wiped/a.pt"));
    CHECK(seen().holds(dir / "link/a.pt"));
    CHECK_FALSE(seen().holds(dir / "kept/a.pt"));
    CHECK_FALSE(seen().holds(dir / "gone/a.pt"));
}

TEST_CASE("nothing dies where nobody said what does") {
    const support::TempDir dir;
    write_file(dir / "a", "a");
    CHECK_FALSE(flow::DyingPlaces{}.holds(dir / "a"));
}
