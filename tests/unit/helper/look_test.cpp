// Looking at files: stat, scan, hash, tree_hash, statvfs, read_small, writers, probe_root.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/proto/limits.hpp"
#include "core/proto/path.hpp"
#include "core/proto/tree_hash.hpp"
#include "unit/helper/fixture.hpp"

using namespace drawhitch;
using namespace drawhitch::test;
using proto::FileType;

namespace {

std::vector<std::string> paths_of(const std::vector<proto::FileEntry>& entries) {
    std::vector<std::string> paths;
    for (const proto::FileEntry& entry : entries)
        paths.push_back(entry.path);
    return paths;
}

// A tree with one of everything.
void grow(const Box& box) {
    std::filesystem::create_directories(box.at("a/b"));
    std::filesystem::create_directories(box.at("empty"));
    box.put("a/b/file", "content", 0640);
    box.put("a/run.sh", "#!/bin/sh\n", 0755);
    box.put("a-b", "x");
    box.put("new\nline \xFF", "odd");
    std::filesystem::create_symlink("../outside", box.at("link"));
    REQUIRE(::mkfifo(box.at("pipe").c_str(), 0600) == 0);
    const UniqueFd socket{::socket(AF_UNIX, SOCK_STREAM, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    box.at("socket").copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

const std::vector<std::string> k_grown{"a",     "a/b",  "a/b/file",       "a/run.sh", "a-b",
                                       "empty", "link", "new\nline \xFF", "pipe",     "socket"};

}  // namespace

TEST_CASE("a scan lists one of everything, in scan order, without our private directory, and opens no FIFO") {
    Box box;
    grow(box);
    REQUIRE(box.agent->probe_root(box.op, box.claim));
    const auto entries = box.scan();
    CHECK(paths_of(entries) == k_grown);
    const auto find = [&](std::string_view path) {
        return *std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.path == path; });
    };
    CHECK(find("a").type == FileType::directory);
    CHECK(find("pipe").type == FileType::fifo);
    CHECK(find("socket").type == FileType::socket);
    const proto::FileEntry file = find("a/b/file");
    struct stat info {};
    REQUIRE(::lstat(box.at("a/b/file").c_str(), &info) == 0);
    CHECK(file.type == FileType::file);
    CHECK(file.size == 7);
    CHECK(file.mode == 0640);
    CHECK(file.ino == info.st_ino);
    CHECK(file.dev == info.st_dev);
    CHECK(file.mtime_ns == info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec);
    CHECK(file.ctime_ns >= file.mtime_ns);
    CHECK(file.nlink == 1);
    CHECK_FALSE(file.root);
    CHECK(find("link").target == "../outside");
    CHECK(find("a/run.sh").executable());
    CHECK(box.look("a/b/file") == file);
}

TEST_CASE("a scan with digests hashes regular files only") {
    Box box;
    grow(box);
    proto::Scan request;
    request.digests = true;
    request.sha256 = true;
    for (const proto::FileEntry& entry : box.scan(request)) {
        CHECK(entry.root.has_value() == (entry.type == FileType::file));
        CHECK(entry.error == 0);
        if (entry.path != "a/b/file") continue;
        CHECK(entry.root == proto::content_digest("content"));
        CHECK(entry.sha256 == proto::sha256("content"));
    }
}

TEST_CASE("a scan can be limited to subtrees, to a depth, to a number, and can leave paths out") {
    Box box;
    grow(box);
    const auto scan = [&](proto::Scan request) { return paths_of(box.scan(std::move(request))); };
    using Paths = std::vector<std::string>;
    CHECK(scan({.subtrees = {"a"}}) == Paths{"a", "a/b", "a/b/file", "a/run.sh"});
    CHECK(scan({.subtrees = {"link", "a/b", "a"}}) == Paths{"a", "a/b", "a/b/file", "a/run.sh", "link"});
    CHECK(scan({.subtrees = {"a-b"}}) == Paths{"a-b"});
    CHECK(scan({.skip = {"a", "new\nline \xFF", "link", "pipe"}}) == Paths{"a-b", "empty", "socket"});
    CHECK(scan({.subtrees = {"a"}, .skip = {"a/b"}}) == Paths{"a", "a/run.sh"});
    CHECK(scan({.subtrees = {"a"}, .depth = 1}) == Paths{"a", "a/b", "a/run.sh"});
    CHECK(scan({.depth = 1}) == Paths{"a", "a-b", "empty", "link", "new\nline \xFF", "pipe", "socket"});
    CHECK(scan({.max_entries = 3}) == Paths{"a", "a/b", "a/b/file"});
    proto::Scan cut{.root = box.root, .max_entries = 3};
    CHECK(Connection::must(box.agent->scan(box.op, cut, [](proto::FileEntry&&) { return ok(); })).truncated);
}

TEST_CASE("subtrees that are missing or hidden behind a symlink are entries with an error") {
    Box box;
    std::filesystem::create_directories(box.at("real"));
    box.put("real/file", "x");
    std::filesystem::create_directory_symlink("real", box.at("link"));
    const auto entries = box.scan({.subtrees = {"gone", "link/file", "real/file"}});
    REQUIRE(entries.size() == 3);
    CHECK(entries[0].path == "gone");
    CHECK(entries[0].error == ENOENT);
    CHECK(entries[1].error == ELOOP);
    CHECK(entries[2].error == 0);
    CHECK(code_of(box.agent->scan(box.op, {.root = box.root, .subtrees = {"../x"}}, [](auto&&) { return ok(); })) ==
          Code::unsafe_path);
}

TEST_CASE("a scan of many files comes in several pages and misses none") {
    Box box;
    constexpr std::size_t count = 6000;
    for (std::size_t i = 0; i < count; ++i)
        box.put("file-with-a-long-name-" + std::to_string(i), "");
    const auto entries = box.scan();
    CHECK(entries.size() == count);
    CHECK(std::is_sorted(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return proto::scan_less(a.path, b.path); }));
}

TEST_CASE("a sink's error ends a scan, and the connection goes on") {
    Box box;
    grow(box);
    const auto stopped = box.agent->scan(box.op, {.root = box.root}, [](proto::FileEntry&&) -> Status {
        return Error{Code::no_space, "enough"};
    });
    CHECK(code_of(stopped) == Code::no_space);
    CHECK(box.scan().size() == k_grown.size());
}

TEST_CASE("unreadable directories and files are entries with an error, and the scan goes on") {
    support::TempDir dir;
    std::filesystem::create_directories(dir / "root/closed");
    support::write_file(dir / "root/open", "x");
    support::write_file(dir / "root/secret", "x", 0);
    std::filesystem::permissions(dir / "root/closed", std::filesystem::perms::none);
    std::filesystem::permissions(dir.path(), std::filesystem::perms::all);
    std::filesystem::permissions(dir / "root", std::filesystem::perms::all);
    // The serve loop runs in this process: it gives up its rights for the time of the scan.
    const uid_t before = ::geteuid();
    if (before == 0) REQUIRE(::seteuid(65'534) == 0);
    std::vector<proto::FileEntry> entries;
    {
        Connection connection(dir / "root");
        const proto::Scan request{.root = connection.root, .digests = true};
        Connection::must(connection.agent->scan(connection.op, request, [&](proto::FileEntry&& entry) {
            entries.push_back(std::move(entry));
            return ok();
        }));
    }
    if (before == 0) REQUIRE(::seteuid(before) == 0);
    std::filesystem::permissions(dir / "root/closed", std::filesystem::perms::owner_all);
    REQUIRE(entries.size() == 3);
    CHECK(entries[0].path == "closed");
    CHECK(entries[0].error == EACCES);
    CHECK(entries[1].error == 0);
    CHECK(entries[1].root);
    CHECK(entries[2].path == "secret");
    CHECK(entries[2].error == EACCES);
    CHECK_FALSE(entries[2].root);
}

TEST_CASE("a hash names root, leaves and plain SHA-256 of a file, or of a part of it") {
    Box box;
    const std::string content = noise(2 * proto::k_chunk + 77);
    box.put("file", content);
    const auto whole =
        Connection::must(box.agent->hash(box.op, {.root = box.root, .path = "file", .leaves = true, .sha256 = true}));
    CHECK(whole.entry.root == proto::content_digest(content));
    CHECK(whole.entry.sha256 == proto::sha256(content));
    REQUIRE(whole.leaves.size() == 3);
    CHECK(whole.leaves[1] == proto::leaf_digest(std::string_view(content).substr(proto::k_chunk, proto::k_chunk)));
    const auto part = Connection::must(
        box.agent->hash(box.op, {.root = box.root, .path = "file", .first = 1, .count = 5, .leaves = true}));
    CHECK(part.leaves == std::vector<proto::Digest>(whole.leaves.begin() + 1, whole.leaves.end()));
    CHECK_FALSE(part.entry.root);
    box.put("empty", "");
    CHECK(Connection::must(box.agent->hash(box.op, {.root = box.root, .path = "empty"})).entry.root ==
          proto::content_digest(""));
}

namespace {

// Half a second passes with every look at it: long requests become long without taking long.
class HastyClock final : public Clock {
  public:
    Instant now() const override {
        looks_ += 1;
        return Instant{} + looks_ * milliseconds{500};
    }
    WallTime wall() const override { return {}; }
    void sleep(milliseconds, const Cancel&) override {}

  private:
    mutable std::int64_t looks_{0};
};

}  // namespace

TEST_CASE("a long hash tells how far it is") {
    support::TempDir dir;
    const std::string content = noise(40U << 20U);
    support::write_file(dir / "file", content);
    support::TestOp op;
    HastyClock clock;
    support::InProcessHelper helper(std::chrono::hours{1}, clock);
    const auto agent = helper.connect(op);
    const auto root = Connection::must(agent->open_root(op, dir.path(), false));
    std::vector<std::uint64_t> progress;
    Connection::must(agent->hash(op, {.root = root, .path = "file"}, [&](std::uint64_t done, std::uint64_t total) {
        CHECK(total == content.size());
        progress.push_back(done);
    }));
    CHECK(progress.size() > 2);
    CHECK(std::is_sorted(progress.begin(), progress.end()));
    CHECK(progress.back() < content.size());
}

TEST_CASE("a hash under a fence that does not hold is refused as changed") {
    Box box;
    box.put("file", "content");
    proto::Fence fence = box.look("file").fence();
    proto::Hash request{.root = box.root, .path = "file", .fence = fence};
    CHECK(box.agent->hash(box.op, request));
    for (int field = 0; field < 4; ++field) {
        request.fence = fence;
        if (field == 0) ++request.fence->dev;
        if (field == 1) ++request.fence->ino;
        if (field == 2) ++request.fence->size;
        if (field == 3) ++request.fence->mtime_ns;
        CHECK(code_of(box.agent->hash(box.op, request)) == Code::changed);
    }
}

TEST_CASE("the tree hash of a directory is that of its scanned entries") {
    Box box;
    std::filesystem::create_directories(box.at("t/a/b"));
    std::filesystem::create_directories(box.at("t/empty"));
    box.put("t/a/b/file", "content");
    box.put("t/a/run.sh", "#!", 0755);
    std::filesystem::create_symlink("a/run.sh", box.at("t/link"));
    std::vector<proto::FileEntry> entries;
    for (proto::FileEntry entry : box.scan({.subtrees = {"t"}, .digests = true})) {
        if (entry.path == "t") continue;
        entry.path.erase(0, 2);
        entries.push_back(std::move(entry));
    }
    const auto hashed = Connection::must(box.agent->tree_hash(box.op, {.root = box.root, .path = "t"}));
    CHECK(hashed.digest == *proto::tree_hash(entries));
    CHECK(hashed.files == 2);
    CHECK(hashed.bytes == 9);
    // The root itself, private directory left out.
    std::filesystem::remove_all(box.at("t/empty"));
    Connection inside(box.at("t"));
    const auto before = Connection::must(inside.agent->tree_hash(inside.op, {.root = inside.root, .path = ""})).digest;
    inside.claim_as(k_owner_a);
    CHECK(Connection::must(inside.agent->tree_hash(inside.op, {.root = inside.root, .path = ""})).digest == before);
}

TEST_CASE("a tree with a FIFO, or that is no directory, has no hash") {
    Box box;
    std::filesystem::create_directories(box.at("t"));
    REQUIRE(::mkfifo(box.at("t/pipe").c_str(), 0600) == 0);
    CHECK_FALSE(box.agent->tree_hash(box.op, {.root = box.root, .path = "t"}));
    CHECK_FALSE(box.agent->tree_hash(box.op, {.root = box.root, .path = "t/pipe"}));
    CHECK(code_of(box.agent->tree_hash(box.op, {.root = box.root, .path = "gone"})) == Code::not_found);
}

TEST_CASE("free space and inodes are those of the file system") {
    Box box;
    const auto space = Connection::must(box.agent->statvfs(box.op, box.root));
    CHECK(space.bytes_total >= space.bytes_free);
    CHECK(space.bytes_total > 0);
    CHECK(space.block_size > 0);
    CHECK_FALSE(space.read_only);
    CHECK(code_of(box.agent->statvfs(box.op, box.root, "gone")) == Code::not_found);
}

TEST_CASE("small files are read whole, in part, and from /proc, where sizes lie") {
    Box box;
    box.put("file", "0123456789");
    const auto whole = Connection::must(box.agent->read_small(box.op, box.root, "file"));
    CHECK(whole.content == "0123456789");
    CHECK(whole.entry.size == 10);
    CHECK(Connection::must(box.agent->read_small(box.op, box.root, "file", 4, 3)).content == "456");
    CHECK(Connection::must(box.agent->read_small(box.op, box.root, "file", 99, 3)).content.empty());
    Connection proc("/proc");
    const auto version = Connection::must(proc.agent->read_small(proc.op, proc.root, "version"));
    CHECK(version.content.starts_with("Linux"));
    CHECK(version.entry.size == 0);
}

TEST_CASE("files held open or mapped for writing are found") {
    Box box;
    for (const char* name : {"written", "read", "mapped"})
        box.put(name, std::string(4096, 'x'));
    const UniqueFd writer{::open(box.at("written").c_str(), O_WRONLY)};
    const UniqueFd reader{::open(box.at("read").c_str(), O_RDONLY)};
    void* memory = nullptr;
    {
        const UniqueFd file{::open(box.at("mapped").c_str(), O_RDWR)};
        memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
        REQUIRE(memory != MAP_FAILED);
    }
    const auto found = Connection::must(box.agent->writers(box.op, box.root));
    const auto has = [&](const std::string& name) {
        const proto::FileEntry entry = box.look(name);
        return std::any_of(found.files.begin(), found.files.end(), [&](const proto::OpenFile& file) {
            return file.dev == entry.dev && file.ino == entry.ino && file.pid == static_cast<std::uint32_t>(::getpid());
        });
    };
    CHECK(has("written"));
    CHECK_FALSE(has("read"));
    CHECK(has("mapped"));
    ::munmap(memory, 4096);
}

TEST_CASE("a probe of the file system finds what it can do and leaves nothing behind") {
    Box box;
    const auto found = Connection::must(box.agent->probe_root(box.op, box.claim));
    CHECK(found.hard_links);
    CHECK(found.symlinks);
    CHECK(found.rename_replaces);
    CHECK(found.rename_no_replace);
    CHECK(found.sparse);
    CHECK(found.fsync);
    CHECK(found.stable_inodes);
    CHECK(found.exec);
    CHECK(found.exec_bit);
    CHECK_FALSE(found.case_folding);
    CHECK_FALSE(found.normalising);
    CHECK(found.mtime_step_ns == 1);
    CHECK(std::filesystem::is_empty(box.at(".drawhitch/parts")));
}

TEST_CASE("a root is an absolute path to a directory, opened once per number") {
    support::TempDir dir;
    Connection box(dir / "root");
    const auto open = [&](proto::RootId root, std::string path, bool create = false) {
        return box.agent->open_root(box.op, root, path, create);
    };
    CHECK(code_of(open(9, "relative")) == Code::protocol);
    CHECK(code_of(open(9, dir / "root/../root")) == Code::protocol);
    CHECK(code_of(open(9, "")) == Code::protocol);
    CHECK(code_of(open(0, dir.path())) == Code::protocol);
    CHECK(code_of(open(65, dir.path())) == Code::protocol);
    CHECK(code_of(open(box.root, dir.path())) == Code::protocol);
    CHECK(code_of(open(9, dir / "gone")) == Code::not_found);
    support::write_file(dir / "file", "x");
    CHECK_FALSE(open(9, dir / "file"));
    const auto made = open(9, dir / "new/deep", true);
    REQUIRE(made);
    CHECK(made->created);
    CHECK_FALSE(open(10, dir / "new/deep/", true)->created);
    std::filesystem::create_directory_symlink(dir / "root", dir / "link");
    CHECK(open(11, dir / "link")->ino == open(12, dir / "root")->ino);
}

TEST_CASE("a file that holds more than its size says has no digest") {
    Connection proc("/proc/" + std::to_string(::getpid()));
    const auto entry = Connection::must(proc.agent->stat(proc.op, proc.root, {"status"})).at(0);
    REQUIRE(entry.size == 0);
    const auto hashed = proc.agent->hash(proc.op, {.root = proc.root, .path = "status"});
    REQUIRE(!hashed);
    CHECK(hashed.error().code == Code::remote_failed);
    CHECK(hashed.error().message.find("size") != std::string::npos);
}
