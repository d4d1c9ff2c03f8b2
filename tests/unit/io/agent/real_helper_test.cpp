// The helper as the program it is on a box: this machine's, and the other architecture's under qemu.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <filesystem>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/tree_hash.hpp"
#include "io/agent/agent.hpp"
#include "io/transport/local.hpp"
#include "support/skip.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;

namespace fs = std::filesystem;

namespace {

#if defined(__x86_64__)
constexpr const char* k_native = "x86_64";
#else
constexpr const char* k_native = "aarch64";
#endif

// A helper program of `arch` in a directory, started through a login shell that may put an emulator before it.
struct Program {
    support::TempDir dir{};
    support::TestOp op{};
    std::unique_ptr<transport::LocalTransport> shell{};

    Program(const std::string& arch, const std::string& emulator) {
        const auto image = agent::HelperImages::embedded().find(arch);
        if (!image) support::skip_without("a helper for " + arch + " in this build (its cross compiler)");
        support::write_file(dir / "helper", image->bytes, 0755);
        support::write_file(dir / "shell", "#!/bin/sh\nexec " + emulator + " ${2#exec }\n", 0755);
        shell = std::make_unique<transport::LocalTransport>(dir / "shell");
    }

    std::unique_ptr<agent::Agent> start() {
        const std::string nonce = random_bytes(proto::k_nonce_size);
        auto process = shell->exec(op, *transport::BoxCommand::program(dir / "helper", hex(nonce)));
        REQUIRE(process);
        auto session = agent::Session::start(op, std::move(*process), nonce, {});
        if (!session) FAIL(session.error().message << " (" << session.error().why << ")");
        return agent::Agent::adopt(std::move(*session));
    }
};

// The emulator's place taken by a namespace in which `mount` was made; empty when this machine allows none.
std::string namespace_with(const support::TempDir& dir, const std::string& mount) {
    if (std::system("unshare -rm true 2>/dev/null") != 0) return {};  // NOLINT(cert-env33-c): a constant
    support::write_file(dir / "mounted",
                        "#!/bin/sh\nexec unshare -rm /bin/sh -c '" + mount + " && exec \"$@\"' sh \"$@\"\n", 0755);
    return dir / "mounted";
}

// The whole road of a push and a pull, small.
void walk_the_road(Program& program) {
    const Op op = program.op;
    const auto agent = program.start();
    const auto root = agent->open_root(op, program.dir / "root", true);
    REQUIRE(root);
    const auto claim = agent->claim(op, *root, {std::string(16, 'o'), 0, false, {}});
    REQUIRE(claim);
    CHECK(claim->locking);
    const auto probed = agent->probe_root(op, *claim);
    REQUIRE(probed);
    CHECK(probed->rename_no_replace);
    CHECK(probed->hard_links);

    std::string content;
    for (int i = 0; content.size() < 3 * proto::k_chunk; ++i)
        content += "weight " + std::to_string(i * 7919) + "\n";
    proto::Write write;
    write.part = "part";
    write.size = content.size();
    REQUIRE(agent->write(op, *claim, write, {}, [&](std::uint32_t i) -> Result<std::string> {
        return content.substr(std::size_t{i} * proto::k_chunk, proto::k_chunk);
    }));
    proto::Commit commit;
    commit.part = "part";
    commit.path = "release/model.bin";
    commit.size = content.size();
    commit.digest = proto::content_digest(content);
    commit.make_parents = true;
    REQUIRE(agent->commit(op, *claim, commit));
    REQUIRE(agent->make_symlink(op, *claim, "release/latest", "model.bin"));

    std::vector<proto::FileEntry> entries;
    proto::Scan scan;
    scan.root = *root;
    scan.subtrees = {"release"};
    scan.digests = true;
    REQUIRE(agent->scan(op, scan, [&](proto::FileEntry&& entry) {
        if (entry.path == "release") return ok();
        entry.path.erase(0, 8);
        entries.push_back(std::move(entry));
        return ok();
    }));
    REQUIRE(entries.size() == 2);
    const auto tree = agent->tree_hash(op, {.root = *root, .path = "release"});
    REQUIRE(tree);
    CHECK(tree->digest == *proto::tree_hash(entries));

    proto::Read read;
    read.root = *root;
    read.path = "release/model.bin";
    read.fence = entries[1].fence();
    read.ranges = {{0, static_cast<std::uint32_t>(proto::leaf_count(content.size()))}};
    read.codecs = agent->codecs();
    std::string back;
    REQUIRE(agent->read(op, read, [&](std::uint32_t, std::string&& raw, const proto::Digest&) {
        back += raw;
        return ok();
    }));
    CHECK(back == content);
    CHECK(agent->writers(op, *root));
    CHECK(agent->remove(op, *claim, "release", true));
    const auto exit = agent->session().close(op);
    REQUIRE(exit);
    CHECK(exit->clean());
}

}  // namespace

TEST_CASE("the helper program of this machine walks the whole road") {
    Program program(k_native, "");
    walk_the_road(program);
}

#if !defined(__aarch64__)  // there it is the machine's own
TEST_CASE("the aarch64 helper walks the whole road under qemu") {
    if (std::system("qemu-aarch64 --version >/dev/null 2>&1") != 0) support::skip_without("qemu-aarch64");  // NOLINT
    Program program("aarch64", "qemu-aarch64");
    CHECK(program.start()->hello().arch == "aarch64");
    walk_the_road(program);
}
#endif

TEST_CASE("the helper says its version, and refuses to be used by hand") {
    Program program(k_native, "");
    const auto run = [&](const std::string& words) {
        const std::string out = program.dir / "out";
        const int status = std::system((program.dir / ("helper " + words + " >") + out + " 2>&1 </dev/null").c_str());
        return std::pair{WEXITSTATUS(status), support::read_file(out)};
    };
    const auto [code, version] = run("--version");
    CHECK(code == 0);
    CHECK(version == "drawhitch-helper " DRAWHITCH_VERSION " " + agent::HelperImages::embedded().build_id(k_native) +
                         " " + k_native + "\n");
    for (const std::string words : {"", "abc", "00112233445566778899aabbccddeeff x", "--help"})
        CHECK(run(words).first == 2);
    // A nonce and an empty stdin: it speaks, then ends by itself.
    CHECK(run("00112233445566778899aabbccddeeff").first == 0);
}

TEST_CASE("killed in the middle of a write, the helper leaves a part and a root that the next one can claim") {
    Program program(k_native, "");
    const Op op = program.op;
    const std::string content(2 * proto::k_chunk, 'w');
    {
        const auto agent = program.start();
        const auto root = agent->open_root(op, program.dir / "root", true);
        REQUIRE(root);
        const auto claim = agent->claim(op, *root, {std::string(16, 'a'), 0, false, {}});
        REQUIRE(claim);
        proto::Write write{*root, claim->epoch, "part", content.size(), false};
        const std::uint32_t number = agent->session().submit(write);
        codec::Codec codec;
        REQUIRE(agent->session().send_chunk(op, number, codec.seal(0, content.substr(0, proto::k_chunk), {})));
        REQUIRE(agent->session().receive(op));
        REQUIRE(::kill(static_cast<pid_t>(agent->hello().pid), SIGKILL) == 0);
        const auto after = agent->session().receive(op);
        REQUIRE_FALSE(after);
        CHECK(after.error().code == Code::link_lost);
    }
    const auto agent = program.start();
    const auto root = agent->open_root(op, program.dir / "root", false);
    REQUIRE(root);
    // Another owner: the dead helper's lock died with it.
    const auto claim = agent->claim(op, *root, {std::string(16, 'b'), 0, false, {}});
    REQUIRE(claim);
    CHECK(claim->epoch == 2);
    const auto have = agent->hash(op, {.root = *root, .path = ".drawhitch/parts/part", .leaves = true});
    REQUIRE(have);
    REQUIRE(have->leaves.size() == 2);
    CHECK(have->leaves[0] == proto::leaf_digest(content.substr(0, proto::k_chunk)));
    CHECK(have->leaves[1] != have->leaves[0]);
}

TEST_CASE("a disk that is full of bytes, and one that is full of names, are told apart; room made, the rest goes on") {
    support::TempDir dir;
    fs::create_directories(dir / "small");
    const std::string emulator = namespace_with(dir, "mount -t tmpfs -o size=3m,nr_inodes=40 none " + (dir / "small"));
    if (emulator.empty()) support::skip_without("the right to make user and mount namespaces");
    Program program(k_native, emulator);
    const Op op = program.op;
    const auto agent = program.start();
    const auto root = agent->open_root(op, dir / "small", false);
    REQUIRE(root);
    const auto claim = agent->claim(op, *root, {std::string(16, 'o'), 0, false, {}});
    REQUIRE(claim);
    std::string content = random_bytes(5 * proto::k_chunk);
    const auto source = [&](std::uint32_t i) -> Result<std::string> {
        return content.substr(std::size_t{i} * proto::k_chunk, proto::k_chunk);
    };
    const auto full = agent->write(op, *claim, {.part = "big", .size = content.size()}, {}, source);
    REQUIRE_FALSE(full);
    CHECK(full.error().code == Code::no_space);
    CHECK(agent->statvfs(op, *root)->bytes_free < proto::k_chunk);
    REQUIRE(agent->remove(op, *claim, ".drawhitch/parts/big", false));

    std::uint32_t next = 0;
    const auto many = agent->write_bundle(op, *claim, {}, false, [&]() -> Result<std::optional<proto::NewFile>> {
        if (next == 60) return std::optional<proto::NewFile>{};
        const std::string name = "f" + std::to_string(next);
        return std::optional<proto::NewFile>{proto::NewFile{next++, name, 0644, {}, proto::content_digest("x"), "x"}};
    });
    REQUIRE(many);
    CHECK(many->files > 10);
    REQUIRE_FALSE(many->failures.empty());
    CHECK(many->failures.front().reason == proto::Reason::no_inodes);
    CHECK(agent->statvfs(op, *root)->inodes_free == 0);
    REQUIRE(agent->remove(op, *claim, "f0", false));
    proto::WriteSmall small;
    small.path = "current";
    small.content = "x";
    CHECK(agent->write_small(op, *claim, small));
}

TEST_CASE("a mount below the root is listed and neither entered nor removed") {
    support::TempDir dir;
    fs::create_directories(dir / "root/tree/mount");
    const std::string emulator = namespace_with(
        dir, "mount -t tmpfs none " + (dir / "root/tree/mount") + " && touch " + (dir / "root/tree/mount/precious"));
    if (emulator.empty()) support::skip_without("the right to make user and mount namespaces");
    Program program(k_native, emulator);
    const Op op = program.op;
    const auto agent = program.start();
    const auto root = agent->open_root(op, dir / "root", false);
    REQUIRE(root);
    const auto claim = agent->claim(op, *root, {std::string(16, 'o'), 0, false, {}});
    REQUIRE(claim);
    std::vector<std::string> names;
    REQUIRE(agent->scan(op, {.root = *root}, [&](proto::FileEntry&& entry) {
        CHECK(entry.mount_point == (entry.path == "tree/mount"));
        names.push_back(entry.path);
        return ok();
    }));
    CHECK(names == std::vector<std::string>{"tree", "tree/mount"});
    for (const char* path : {"tree", "tree/mount"})
        CHECK_FALSE(agent->remove(op, *claim, path, true));
    CHECK((*agent->stat(op, *root, {"tree/mount/precious"}))[0].error == 0);
    CHECK_FALSE(agent->rename(op, *claim, "tree/mount/precious", "moved", false));
}
