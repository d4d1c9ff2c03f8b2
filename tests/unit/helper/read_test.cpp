// Reading under a fence: chunks, bundles, changes in mid-read.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "core/codec/codec.hpp"
#include "core/proto/chunk.hpp"
#include "core/proto/limits.hpp"
#include "unit/helper/fixture.hpp"

using namespace drawhitch;
using namespace drawhitch::test;

namespace {

constexpr proto::CodecSet k_zstd = proto::codec_bit(proto::CodecId::zstd);

struct Collected {
    std::string bytes{};
    std::vector<std::uint32_t> indexes{};
};

agent::ChunkSink into(Collected& out) {
    return [&out](std::uint32_t index, std::string&& raw, const proto::Digest& leaf) -> Status {
        CHECK(leaf == proto::leaf_digest(raw));
        out.bytes += raw;
        out.indexes.push_back(index);
        return ok();
    };
}

proto::Read read_of(Box& box, std::string path, std::vector<proto::ChunkRange> ranges) {
    proto::Read request;
    request.root = box.root;
    request.path = std::move(path);
    request.fence = box.look(request.path).fence();
    request.ranges = std::move(ranges);
    request.codecs = k_zstd;
    return request;
}

}  // namespace

TEST_CASE("a file is read whole through a window smaller than itself") {
    Box box;
    const std::string content = noise(6 * proto::k_chunk + 4321);
    box.put("file", content);
    box.agent->session().set_pull_window(300'000);
    Collected got;
    const auto end = box.agent->read(box.op, read_of(box, "file", {{0, 7}}), into(got));
    REQUIRE(end);
    CHECK(got.bytes == content);
    CHECK(end->chunks == 7);
    CHECK(end->fence == box.look("file").fence());
}

TEST_CASE("chunks come in the order asked for, and compressible ones travel smaller") {
    Box box;
    std::string content;
    for (int i = 0; content.size() < 3 * proto::k_chunk; ++i)
        content += "line " + std::to_string(i) + "\n";
    box.put("log", content);
    const std::uint64_t before = box.agent->session().traffic().received;
    Collected got;
    REQUIRE(box.agent->read(box.op, read_of(box, "log", {{2, 1}, {0, 2}, {1, 0}, {1, 1}}), into(got)));
    CHECK(got.indexes == std::vector<std::uint32_t>{2, 0, 1, 1});
    CHECK(got.bytes.substr(proto::k_chunk, 2 * proto::k_chunk) == content.substr(0, 2 * proto::k_chunk));
    CHECK(box.agent->session().traffic().received - before < proto::k_chunk);
}

TEST_CASE("holes travel as nothing") {
    Box box;
    box.put("sparse", "");
    std::filesystem::resize_file(box.at("sparse"), 8 * proto::k_chunk);
    const std::uint64_t before = box.agent->session().traffic().received;
    Collected got;
    REQUIRE(box.agent->read(box.op, read_of(box, "sparse", {{0, 8}}), into(got)));
    CHECK(got.bytes == std::string(8 * proto::k_chunk, '\0'));
    CHECK(box.agent->session().traffic().received - before < 4000);
}

TEST_CASE("an empty file and an empty list of ranges check the fence and send nothing") {
    Box box;
    box.put("file", "");
    Collected got;
    CHECK(box.agent->read(box.op, read_of(box, "file", {}), into(got)));
    proto::Read wrong = read_of(box, "file", {});
    wrong.fence->mtime_ns += 1;
    CHECK(code_of(box.agent->read(box.op, wrong, into(got))) == Code::changed);
    CHECK(got.bytes.empty());
}

TEST_CASE("ranges past the end of the file are malformed, also with numbers that overflow") {
    Box box;
    box.put("file", noise(10));
    Collected got;
    for (const proto::ChunkRange range : {proto::ChunkRange{1, 1}, {0, 2}, {0xFFFFFFFF, 0xFFFFFFFF}})
        CHECK(code_of(box.agent->read(box.op, read_of(box, "file", {range}), into(got))) == Code::protocol);
}

TEST_CASE("a file that changes in mid-read is refused, and what came before was true") {
    Box box;
    const std::string content = noise(8 * proto::k_chunk);
    // Each way a writer can change a file under a reader.
    const std::vector<std::function<void(int)>> changes{
        [](int fd) { CHECK(::pwrite(fd, "x", 1, 0) == 1); },
        [](int fd) { CHECK(::ftruncate(fd, 5) == 0); },
        [&](int fd) { CHECK(::pwrite(fd, "x", 1, static_cast<off_t>(content.size())) == 1); },
    };
    for (const auto& change : changes) {
        box.put("file", content);
        box.agent->session().set_pull_window(300'000);
        const UniqueFd fd{::open(box.at("file").c_str(), O_RDWR)};
        Collected got;
        const auto sink = into(got);
        const auto result = box.agent->read(box.op, read_of(box, "file", {{0, 8}}),
                                            [&](std::uint32_t index, std::string&& raw, const proto::Digest& leaf) {
                                                if (index == 1) change(fd.get());
                                                return sink(index, std::move(raw), leaf);
                                            });
        CHECK(code_of(result) == Code::changed);
        CHECK(result.error().retry == Retry::same_connection);
        CHECK(got.indexes.size() < 8);
        CHECK(content.starts_with(got.bytes));
    }
}

TEST_CASE("a file renamed over in mid-read is read to its end as it was") {
    Box box;
    const std::string content = noise(6 * proto::k_chunk);
    box.put("file", content);
    box.agent->session().set_pull_window(300'000);
    Collected got;
    const auto sink = into(got);
    const auto result = box.agent->read(box.op, read_of(box, "file", {{0, 6}}),
                                        [&](std::uint32_t index, std::string&& raw, const proto::Digest& leaf) {
                                            box.put("next", "another generation");
                                            if (index == 0) std::filesystem::rename(box.at("next"), box.at("file"));
                                            return sink(index, std::move(raw), leaf);
                                        });
    CHECK(result);
    CHECK(got.bytes == content);
}

TEST_CASE("a growing file is read up to the size that was named, though it grows") {
    Box box;
    const std::string content = noise(4 * proto::k_chunk + 10);
    box.put("log", content);
    box.agent->session().set_pull_window(300'000);
    proto::Read request = read_of(box, "log", {{0, 5}});
    request.growing = true;
    const UniqueFd fd{::open(box.at("log").c_str(), O_WRONLY | O_APPEND)};
    Collected got;
    const auto sink = into(got);
    const auto grow = [&](std::uint32_t index, std::string&& raw, const proto::Digest& leaf) {
        CHECK(::write(fd.get(), "more", 4) == 4);
        return sink(index, std::move(raw), leaf);
    };
    CHECK(box.agent->read(box.op, request, grow));
    CHECK(got.bytes == content);
    REQUIRE(::ftruncate(fd.get(), 5) == 0);
    CHECK(code_of(box.agent->read(box.op, request, grow)) == Code::changed);
}

TEST_CASE("only regular files are read, and none is opened otherwise") {
    Box box;
    REQUIRE(::mkfifo(box.at("pipe").c_str(), 0600) == 0);
    std::filesystem::create_directories(box.at("dir"));
    Collected got;
    const auto read = [&](std::string path) {
        proto::Read request;
        request.root = box.root;
        request.path = std::move(path);
        return code_of(box.agent->read(box.op, request, into(got)));
    };
    CHECK(read("pipe") == Code::remote_failed);
    CHECK(read("dir") == Code::remote_failed);
    CHECK(read("") == Code::remote_failed);
    CHECK(read("gone") == Code::not_found);
    Connection dev("/dev");
    proto::Read null;
    null.root = dev.root;
    null.path = "null";
    CHECK(code_of(dev.agent->read(dev.op, null, into(got))) == Code::remote_failed);
}

TEST_CASE("a bundle brings every item once, in order, each with its content or its reason") {
    Box box;
    proto::ReadBundle request;
    request.root = box.root;
    request.codecs = k_zstd;
    for (int i = 0; i < 700; ++i) {
        const std::string path = "f" + std::to_string(i);
        box.put(path, noise(static_cast<std::size_t>(i) * 13, static_cast<std::uint64_t>(i)));
        request.items.push_back({path, box.look(path).fence()});
    }
    request.items.push_back({"gone", {}});
    request.items.push_back({"../escape", {}});
    box.put("changed", "now longer");
    request.items.push_back({"changed", box.look("changed").fence()});
    box.put("changed", "different");
    box.put("big", noise(proto::k_small_max + 1));
    request.items.push_back({"big", {}});
    std::vector<proto::BundleFile> files;
    REQUIRE(box.agent->read_bundle(box.op, request, [&](proto::BundleFile&& file) {
        files.push_back(std::move(file));
        return ok();
    }));
    REQUIRE(files.size() == request.items.size());
    for (std::size_t i = 0; i < 700; ++i) {
        REQUIRE(files[i].reason == proto::Reason::none);
        REQUIRE(files[i].content == box.get(request.items[i].path));
    }
    CHECK(files[700].reason == proto::Reason::not_found);
    CHECK(files[701].reason == proto::Reason::unsafe_path);
    CHECK(files[702].reason == proto::Reason::changed);
    CHECK(files[702].fence == box.look("changed").fence());
    CHECK(files[703].reason == proto::Reason::too_large);
}

TEST_CASE("several requests may be in flight, and their answers come in order") {
    Box box;
    box.put("one", noise(100'000));
    box.put("two", noise(200'000));
    const proto::Read one = read_of(box, "one", {{0, 1}});
    const proto::Read two = read_of(box, "two", {{0, 1}});
    agent::Session& session = box.agent->session();
    const std::uint32_t first = session.submit(one);
    const std::uint32_t second = session.submit(two);
    std::vector<std::uint32_t> order;
    for (int ends = 0; ends < 2;) {
        const auto frame = Connection::must(session.receive(box.op));
        order.push_back(frame.request);
        if (frame.type == proto::MessageType::read_end) ++ends;
    }
    CHECK(std::is_sorted(order.begin(), order.end()));
    CHECK(order.front() == first);
    CHECK(order.back() == second);
}

namespace {

// Sends a read on a base, and opens what comes with `mine`, our copy of the base's only chunk.
struct OnBase {
    std::string bytes{};
    bool used{false};
    std::size_t sent{0};
};

OnBase read_on_base(Box& box, const proto::BaseFile& base, const std::string& mine) {
    proto::Read request = read_of(box, "new", {{0, 1}});
    request.codecs = codec::supported();
    request.base = base;
    agent::Session& session = box.agent->session();
    const std::uint32_t number = session.submit(request);
    OnBase result;
    proto::ChunkAssembler assembler;
    codec::Codec codec;
    for (;;) {
        const auto frame = Connection::must(session.receive(box.op));
        REQUIRE(frame.request == number);
        if (frame.type == proto::MessageType::read_end) return result;
        REQUIRE(frame.type == proto::MessageType::data);
        const auto chunk = Connection::must(assembler.feed(frame.payload));
        if (!chunk) continue;
        result.used = chunk->on_base;
        result.sent = chunk->bytes.size();
        result.bytes = Connection::must(codec.open_on_base(*chunk, mine));
    }
}

}  // namespace

TEST_CASE("a read on a base brings the difference to it, where the box has the base as we have it") {
    Box box;
    const std::string old = noise(700'000, 1);
    std::string content = old;
    for (std::size_t at = 0; at < content.size(); at += 1000)
        content[at] = static_cast<char>(content[at] ^ 1);
    content += noise(5000, 2);
    box.put("new", content);
    box.put("old", old);
    REQUIRE((box.agent->hello().capabilities & proto::k_cap_base) != 0);
    const proto::BaseFile base{"old", proto::content_digest(old), {proto::leaf_digest(old)}};
    const OnBase good = read_on_base(box, base, old);
    CHECK(good.used);
    CHECK(good.sent < 50'000);
    CHECK(good.bytes == content);

    const auto whole = [&](const proto::BaseFile& named) {
        const OnBase got = read_on_base(box, named, old);
        return !got.used && got.bytes == content;
    };
    // What is no base: not there, no file, outside, behind a link, of other bytes, shorter, or nothing of ours.
    std::filesystem::create_directories(box.at("dir"));
    std::filesystem::create_symlink("old", box.at("link"));
    support::write_file(box.outside() + "/old", old);
    for (const std::string path : {"gone", "dir", "../old", "/etc/passwd", "link", "", "old/x"})
        CHECK(whole({path, base.digest, base.leaves}));
    CHECK(whole({"old", base.digest, {proto::Digest{}}}));
    box.put("old", old.substr(0, 600'000));
    CHECK(whole(base));
    std::string other = old;
    other[5] = static_cast<char>(other[5] ^ 1);
    box.put("old", other);
    CHECK(whole(base));
}

TEST_CASE("a base with more or fewer leaves than chunks asked for is malformed") {
    Box box;
    box.put("new", noise(100));
    Collected got;
    for (const std::size_t leaves : {std::size_t{0}, std::size_t{2}}) {
        proto::Read request = read_of(box, "new", {{0, 1}});
        request.base = proto::BaseFile{"old", {}, std::vector<proto::Digest>(leaves)};
        CHECK(code_of(box.agent->read(box.op, request, into(got))) == Code::protocol);
    }
    CHECK(got.bytes.empty());
}
