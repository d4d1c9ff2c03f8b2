// What may be wrong with the file and the directory: each a clear error, never a crash, never a silent new start.
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <filesystem>
#include <set>
#include <string>

#include "io/ledger/ledger.hpp"
#include "io/ledger/schema.hpp"
#include "support/fake_clock.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"
#include "unit/io/ledger/counting_vfs.hpp"
#include "unit/io/ledger/workload.hpp"

namespace drawhitch::ledger_test {

namespace {

using ledger::FilesystemKind;
using ledger::Ledger;
using support::FakeClock;
using support::read_file;
using support::TempDir;
using support::TestOp;
using support::write_file;

struct Fixture {
    TempDir folder{};
    FakeClock clock{};
    TestOp op{clock};
    std::string state{folder / "state"};
    std::string file{state + "/ledger.db"};

    // A directory with these bytes as its ledger.
    void arrange(std::string_view bytes) {
        std::filesystem::remove_all(state);
        REQUIRE(::mkdir(state.c_str(), 0700) == 0);
        write_file(file, bytes, 0600);
    }
    // The bytes of a ledger after a whole life, in one file.
    std::string lived() {
        plan_fault({});
        {
            auto opened = Ledger::open(op, state, {FilesystemKind::network, counting_vfs()});
            REQUIRE(opened);
            for (const Step& step : workload())
                REQUIRE(step(*opened));
        }
        return read_file(file);
    }
    Error refused() {
        auto opened = Ledger::open(op, state, {FilesystemKind::network, counting_vfs()});
        REQUIRE_FALSE(opened);
        return opened.error();
    }
    // Opening and reading must end, with an Error of the ledger or without.
    bool survives() {
        auto opened = Ledger::open(op, state, {FilesystemKind::network, counting_vfs()});
        const Status read = opened ? read_everything(*opened) : Status{opened.error()};
        if (read) return true;
        const std::set<Code> expected{Code::ledger, Code::local_io, Code::not_found};
        INFO(read.error().message);
        REQUIRE(expected.contains(read.error().code));
        REQUIRE_FALSE(read.error().message.empty());
        return false;
    }
};

std::string schema_of(const std::string& path) {
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
    std::string text{};
    const auto append = [](void* to, int count, char** values, char**) {
        for (int at = 0; at < count; ++at)
            static_cast<std::string*>(to)->append(values[at] != nullptr ? values[at] : "NULL").append("|");
        static_cast<std::string*>(to)->append("\n");
        return 0;
    };
    REQUIRE(sqlite3_exec(handle,
                         "SELECT m.type, m.name, m.tbl_name, p.name, p.type, p.\"notnull\", p.dflt_value, p.pk FROM"
                         " sqlite_schema m LEFT JOIN pragma_table_info(m.name) p ORDER BY m.type, m.name, p.cid;"
                         "SELECT name, wr, strict FROM pragma_table_list WHERE schema = 'main' ORDER BY name;"
                         "SELECT m.name, f.* FROM sqlite_schema m, pragma_foreign_key_list(m.name) f ORDER BY 1, 2;",
                         append, &text, nullptr) == SQLITE_OK);
    sqlite3_close(handle);
    return text;
}

// A ledger with rows, as that version left it.
std::string golden(int version) {
    return read_file(support::source_dir() + "/tests/golden/ledger/v" + std::to_string(version) + ".db");
}

}  // namespace

TEST_CASE("a ledger of version 2 or 3 is brought up to date with all it held") {
    const int version = GENERATE(2, 3);
    CAPTURE(version);
    Fixture here{};
    here.arrange(golden(version));
    {
        auto opened = Ledger::open(here.op, here.state);
        REQUIRE(opened);
        const auto lease = opened->lease_by_name("box-old");
        REQUIRE(lease);
        CHECK(lease->root == "/data\xff");
        CHECK(lease->state_reason == "adopted anew");
        CHECK(opened->leases(ledger::Which::all)->size() == 2);
        CHECK(opened->note(1, "push.owner")->value_or("") == "aabb");
        CHECK(opened->covered(1)->size() == 1);
        const auto copies = opened->copies(1);
        REQUIRE(copies);
        REQUIRE(copies->size() == 1);
        CHECK(copies->front().place == "tier:durable");
        const auto files = opened->volatile_files(1);
        REQUIRE(files);
        REQUIRE(files->size() == 1);
        CHECK(files->front().path == "/dev/shm/e");
        CHECK(opened->load_test_passed({"subject", "command"}).value() == (version == 3));
        CHECK(opened->add_load_test({"other", "command"}));
    }
    CHECK(Ledger::open(here.op, here.state));
}

TEST_CASE("a ledger of version 1 is brought up to date with all it held") {
    Fixture here{};
    here.arrange(golden(1));
    {
        auto opened = Ledger::open(here.op, here.state);
        REQUIRE(opened);
        const auto lease = opened->lease_by_name("box-old");
        REQUIRE(lease);
        CHECK(lease->root == "/data\xff");
        CHECK(lease->state_reason.empty());
        CHECK(lease->price_hour == 1.5);
        CHECK(opened->leases(ledger::Which::all)->size() == 2);
        CHECK(opened->host_keys(1)->size() == 1);
        const auto run = opened->run_by_name(1, "r1");
        REQUIRE(run);
        CHECK(run->verdict.kind == model::VerdictKind::done);
        CHECK(opened->covered(1)->size() == 1);
        CHECK(opened->add_volatile(1, "/dev/shm/x", "secret X"));
        CHECK(opened->add_copy({1, file_at("a", '1'), "tier:durable", {}}));
        CHECK(opened->add_load_test({"subject", "command"}));
        CHECK(opened->set_state(1, model::LeaseState::stopped, "why"));
    }
    CHECK(Ledger::open(here.op, here.state));
}

TEST_CASE("a migrated ledger has the schema of a new one") {
    Fixture here{};
    here.arrange(golden(GENERATE(1, 2, 3)));
    REQUIRE(Ledger::open(here.op, here.state));
    const std::string other = here.folder / "other";
    REQUIRE(Ledger::open(here.op, other));
    CHECK(schema_of(here.file) == schema_of(other + "/ledger.db"));
}

TEST_CASE("a migration that is killed at any call is done again, whole") {
    const Fault fault = GENERATE(Fault::fail, Fault::freeze);
    Fixture here{};
    const std::string old = golden(GENERATE(1, 2, 3));
    bool clean = false;
    for (long at = 1; !clean; ++at) {
        here.arrange(old);
        plan_fault({fault, at});
        (void)Ledger::open(here.op, here.state, {FilesystemKind::network, counting_vfs()});
        clean = calls_counted() < at;
        plan_fault({});
        auto opened = Ledger::open(here.op, here.state);
        CAPTURE(at);
        REQUIRE(opened);
        REQUIRE(opened->lease_by_name("box-old"));
        REQUIRE(opened->add_volatile(1, "/dev/shm/x", "secret X"));
    }
}

TEST_CASE("a ledger cut short at any page is refused or read, never a crash") {
    Fixture here{};
    const std::string whole = here.lived();
    int refused = 0;
    for (std::size_t size = 0; size < whole.size(); size += 512) {
        CAPTURE(size);
        here.arrange(std::string_view{whole}.substr(0, size));
        if (!here.survives()) ++refused;
    }
    // An empty file is a new ledger; a cut in the last page may cost nothing. All others are seen.
    CHECK(refused >= static_cast<int>(whole.size() / 512) * 9 / 10);
}

TEST_CASE("flipped bytes anywhere in the ledger never crash it") {
    Fixture here{};
    const std::string whole = here.lived();
    const auto flip = GENERATE(0xFFU, 0x01U, 0x80U);
    // A step without common factors with page and cell sizes visits every kind of place.
    for (std::size_t at = 0; at < whole.size(); at += 101) {
        CAPTURE(at, flip);
        std::string bytes = whole;
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flip);
        here.arrange(bytes);
        (void)here.survives();
    }
    SUCCEED("no crash");
}

TEST_CASE("whole pages of rubbish in the ledger never crash it") {
    Fixture here{};
    const std::string whole = here.lived();
    for (std::size_t page = 0; page * 4096 < whole.size(); ++page) {
        for (const char filler : {'\0', '\xff', '\x0d'}) {
            CAPTURE(page, filler);
            std::string bytes = whole;
            bytes.replace(page * 4096, 4096, std::string(4096, filler));
            here.arrange(bytes);
            (void)here.survives();
        }
    }
    SUCCEED("no crash");
}

TEST_CASE("a file that is not a database is refused and kept") {
    Fixture here{};
    here.arrange("this is a diary, and a long one: " + std::string(600, 'x'));
    const Error error = here.refused();
    CHECK(error.code == Code::ledger);
    CHECK(error.message.find("not a database") != std::string::npos);
    CHECK(error.next.starts_with("mv -i "));
    CHECK(read_file(here.file).starts_with("this is a diary"));
}

TEST_CASE("another program's database is refused and kept") {
    Fixture here{};
    here.arrange("");
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(here.file.c_str(), &handle) == SQLITE_OK);
    REQUIRE(sqlite3_exec(handle, "CREATE TABLE moz_places (id)", nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(handle);
    CHECK(here.refused().message.find("another program") != std::string::npos);
}

TEST_CASE("a ledger of a newer version is refused and not touched") {
    Fixture here{};
    here.lived();
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(here.file.c_str(), &handle) == SQLITE_OK);
    const std::string sql = "PRAGMA user_version=" + std::to_string(ledger::k_schema_version + 1);
    REQUIRE(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(handle);
    const std::string before = read_file(here.file);
    const Error error = here.refused();
    CHECK(error.code == Code::ledger);
    CHECK(error.message.find("newer drawhitch") != std::string::npos);
    CHECK(read_file(here.file) == before);
}

TEST_CASE("a newer or foreign database keeps its journal mode: it is refused before anything is set") {
    Fixture here{};
    here.arrange("");
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(here.file.c_str(), &handle) == SQLITE_OK);
    const char* sql =
        GENERATE("CREATE TABLE moz_places (id)", "PRAGMA application_id=1684564340; PRAGMA user_version=99");
    REQUIRE(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(handle);
    const std::string before = read_file(here.file);
    const auto opened = Ledger::open(here.op, here.state, {FilesystemKind::local, {}});
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == Code::ledger);
    CHECK(read_file(here.file) == before);
}

// The files of a ledger whose process was killed: all it knows is in the write-ahead log.
struct Killed : Fixture {
    std::string log{file + "-wal"};
    std::string whole{};
    std::string logged{};

    Killed() {
        const std::string other = folder / "other";
        auto opened = Ledger::open(op, other, {FilesystemKind::local, {}});
        REQUIRE(opened);
        REQUIRE(opened->add_lease(lease_called("box-3")));
        arrange(read_file(other + "/ledger.db"));
        write_file(log, read_file(other + "/ledger.db-wal"), 0600);
        whole = read_file(file);
        logged = read_file(log);
        REQUIRE(logged.size() > 32);
    }
    // Refused, and both files are what they were.
    Error refused_whole() {
        const bool there = std::filesystem::exists(file);
        const std::string before = there ? read_file(file) : "";
        const auto opened = Ledger::open(op, state, {FilesystemKind::local, {}});
        REQUIRE_FALSE(opened);
        CHECK(std::filesystem::exists(file) == there);
        if (there) CHECK(read_file(file) == before);
        CHECK(read_file(log) == logged);
        CHECK(opened.error().code == Code::ledger);
        CHECK(opened.error().next.starts_with("mv -i "));
        CHECK(opened.error().why.find("may still bill") != std::string::npos);
        return opened.error();
    }
};

TEST_CASE("a ledger that was killed is taken up from its write-ahead log") {
    Killed here{};
    const auto opened = Ledger::open(here.op, here.state, {FilesystemKind::local, {}});
    REQUIRE(opened);
    CHECK(opened->lease_by_name("box-3"));
}

TEST_CASE("a write-ahead log without its ledger is refused, and not thrown away") {
    Killed here{};
    std::filesystem::remove(here.file);
    CHECK(here.refused_whole().message.find("is gone") != std::string::npos);
    write_file(here.file, "", 0600);
    CHECK(here.refused_whole().message.find("is empty") != std::string::npos);
    // Put back, it is what it was.
    write_file(here.file, here.whole, 0600);
    CHECK(Ledger::open(here.op, here.state, {FilesystemKind::local, {}}));
}

TEST_CASE("a write-ahead log is not played into another file of the name") {
    Killed here{};
    write_file(here.file, std::string(5000, 'x'), 0600);
    CHECK(here.refused_whole().message.find("not a database any more") != std::string::npos);
    write_file(here.file, here.whole.substr(0, 10), 0600);
    (void)here.refused_whole();
}

TEST_CASE("an empty or vanished ledger beside the locks of leases is no new one") {
    Fixture here{};
    here.arrange("");
    REQUIRE(::mkdir((here.state + "/locks").c_str(), 0700) == 0);
    write_file(here.state + "/locks/pull-1-2", "");
    CHECK(Ledger::open(here.op, here.state));  // only a lock of a lease tells of one
    std::filesystem::remove(here.file);
    write_file(here.file, "", 0600);
    const std::string lock = here.state + "/locks/" + GENERATE("lease-3", "watch-3");
    write_file(lock, "4711 drawhitch down b1\n");
    Error error = here.refused();
    CHECK(error.code == Code::ledger);
    CHECK(error.message == "the ledger is empty, and nothing was changed: " + here.file);
    CHECK(error.why.find(lock) != std::string::npos);
    CHECK(error.next == "mv -i '" + here.state + "/locks' '" + here.state + "/locks.old'");
    std::filesystem::remove(here.file);
    error = here.refused();
    CHECK(error.message == "the ledger is gone, and nothing was changed: " + here.file);
    CHECK_FALSE(std::filesystem::exists(here.file));
    std::filesystem::rename(here.state + "/locks", here.state + "/locks.old");
    CHECK(Ledger::open(here.op, here.state));
}

TEST_CASE("a state directory or ledger that others may use is refused with the chmod to type") {
    Fixture here{};
    here.lived();
    for (const mode_t mode : {0755U, 0750U, 0701U, 0777U, 01777U}) {
        REQUIRE(::chmod(here.state.c_str(), mode) == 0);
        const Error error = here.refused();
        CHECK(error.code == Code::permission);
        CHECK(error.next == "chmod 700 '" + here.state + "'");
    }
    REQUIRE(::chmod(here.state.c_str(), 0700) == 0);
    REQUIRE(::chmod(here.file.c_str(), 0644) == 0);
    CHECK(here.refused().next == "chmod 600 '" + here.file + "'");
}

TEST_CASE("a state directory that cannot be written is refused") {
    Fixture here{};
    here.lived();
    REQUIRE(::chmod(here.state.c_str(), 0500) == 0);
    const Error error = here.refused();
    CHECK(error.code == Code::permission);
    CHECK(error.message.find("not writable") != std::string::npos);
    CHECK(error.next == "chmod 700 '" + here.state + "'");
    REQUIRE(::chmod(here.state.c_str(), 0700) == 0);
}

TEST_CASE("a state directory that is a file, or a ledger that is a link or a directory, is refused") {
    Fixture here{};
    write_file(here.state, "x");
    CHECK(here.refused().code == Code::local_io);
    std::filesystem::remove(here.state);
    here.arrange("");
    std::filesystem::remove(here.file);
    std::filesystem::create_symlink("/etc/hostname", here.file);
    CHECK(here.refused().code == Code::unsafe_path);
    std::filesystem::remove(here.file);
    std::filesystem::create_directory(here.file);
    CHECK(here.refused().code == Code::local_io);
    here.state = "relative/path";
    CHECK(here.refused().code == Code::usage);
}

TEST_CASE("directory and file are made private whatever the umask says") {
    Fixture here{};
    const mode_t old = ::umask(0);
    here.state = here.folder / "a/b/state";
    auto opened = Ledger::open(here.op, here.state, {FilesystemKind::local, {}});
    ::umask(old);
    REQUIRE(opened);
    REQUIRE(opened->add_lease(lease_called("box-3")));
    struct stat seen {};
    for (const char* name : {"", "/ledger.db", "/ledger.db-wal", "/ledger.db-shm"}) {
        REQUIRE(::stat((here.state + name).c_str(), &seen) == 0);
        CHECK((seen.st_mode & 077U) == 0);
    }
    REQUIRE(::stat(here.folder.path().c_str(), &seen) == 0);
    REQUIRE(::stat((here.folder / "a").c_str(), &seen) == 0);
    CHECK((seen.st_mode & 0777U) == 0700U);
}

TEST_CASE("a full disk is told as such and changes nothing") {
    Fixture here{};
    plan_fault({});
    auto opened = Ledger::open(here.op, here.state, {FilesystemKind::network, counting_vfs()});
    REQUIRE(opened);
    REQUIRE(opened->add_lease(lease_called("box-3")));
    bool told = false;
    // The first counted calls are locks; some call behind them is the first write.
    for (long at = 1; at < 20 && !told; ++at) {
        plan_fault({Fault::freeze, at});
        const Status done = opened->set_note(1, "k", "v");
        plan_fault({});
        if (done) continue;
        told = done.error().code == Code::no_space && done.error().next.starts_with("df -h");
        REQUIRE_FALSE(opened->note(1, "k")->has_value());
    }
    CHECK(told);
}

}  // namespace drawhitch::ledger_test
