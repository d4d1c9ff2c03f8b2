// Writing: parts, commit, bundles, small files; disks that fill up.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/proto/limits.hpp"
#include "unit/helper/fixture.hpp"

using namespace drawhitch;
using namespace drawhitch::test;

namespace {

agent::ChunkSource from(const std::string& content) {
    return [&content](std::uint32_t index) -> Result<std::string> {
        return content.substr(std::size_t{index} * proto::k_chunk, proto::k_chunk);
    };
}

proto::Write write_of(const std::string& content, std::string part = "part", bool fresh = false) {
    proto::Write request;
    request.part = std::move(part);
    request.size = content.size();
    request.fresh = fresh;
    return request;
}

proto::Commit commit_of(const std::string& content, std::string path, std::string part = "part") {
    proto::Commit request;
    request.part = std::move(part);
    request.path = std::move(path);
    request.size = content.size();
    request.digest = proto::content_digest(content);
    return request;
}

bool part_exists(const Box& box, const std::string& part = "part") {
    return std::filesystem::exists(box.at(".drawhitch/parts/" + part));
}

agent::BundleSource files(const std::vector<proto::NewFile>& all, std::size_t& next) {
    return [&all, &next]() -> Result<std::optional<proto::NewFile>> {
        if (next == all.size()) return std::optional<proto::NewFile>{};
        return std::optional<proto::NewFile>{all[next++]};
    };
}

proto::NewFile new_file(std::uint32_t index, std::string path, std::string content, std::uint32_t mode = 0644) {
    return proto::NewFile{index, std::move(path), mode, {}, proto::content_digest(content), std::move(content)};
}

}  // namespace

TEST_CASE("a file is written in chunks and committed with mode and time") {
    Box box;
    const std::string content = noise(5 * proto::k_chunk + 99);
    const auto written = box.agent->write(box.op, box.claim, write_of(content), {}, from(content));
    REQUIRE(written);
    CHECK(written->chunks == 6);
    CHECK_FALSE(std::filesystem::exists(box.at("dir/file")));
    proto::Commit commit = commit_of(content, "dir/file");
    commit.mode = 04755;
    commit.mtime_ns = 1'234'567'890'123'456'789;
    commit.make_parents = true;
    const auto committed = box.agent->commit(box.op, box.claim, commit);
    REQUIRE(committed);
    CHECK(box.get("dir/file") == content);
    const proto::FileEntry entry = box.look("dir/file");
    CHECK(entry.mode == 0755);
    CHECK(entry.mtime_ns == 1'234'567'890'123'456'789);
    CHECK(committed->fence == entry.fence());
    CHECK_FALSE(part_exists(box));
}

TEST_CASE("an empty file and one of exactly a chunk are written") {
    Box box;
    for (const std::string& content : {std::string(), noise(proto::k_chunk)}) {
        REQUIRE(box.agent->write(box.op, box.claim, write_of(content, "part", true), {}, from(content)));
        REQUIRE(box.agent->commit(box.op, box.claim, commit_of(content, "file")));
        CHECK(box.get("file") == content);
    }
}

TEST_CASE("a part is resumed by its leaves: only what is missing is sent again") {
    Box box;
    const std::string content = noise(6 * proto::k_chunk);
    const std::vector<std::uint32_t> some{0, 3, 5};
    REQUIRE(box.agent->write(box.op, box.claim, write_of(content), some, from(content)));
    // Another helper, as after a lost connection.
    Connection again(box.top());
    again.claim_as(k_owner_a);
    const auto have = Connection::must(
        again.agent->hash(again.op, {.root = again.root, .path = ".drawhitch/parts/part", .leaves = true}));
    std::vector<std::uint32_t> missing;
    for (std::uint32_t i = 0; i < 6; ++i) {
        const auto wanted = proto::leaf_digest(std::string_view(content).substr(i * proto::k_chunk, proto::k_chunk));
        if (have.leaves[i] != wanted) missing.push_back(i);
    }
    CHECK(missing == std::vector<std::uint32_t>{1, 2, 4});
    REQUIRE(again.agent->write(again.op, again.claim, write_of(content), missing, from(content)));
    REQUIRE(again.agent->commit(again.op, again.claim, commit_of(content, "file")));
    CHECK(box.get("file") == content);
}

TEST_CASE("a part that is not what was announced is not put in place") {
    Box box;
    const std::string content = noise(100'000);
    REQUIRE(box.agent->write(box.op, box.claim, write_of(content), {}, from(content)));
    CHECK(code_of(box.agent->commit(box.op, box.claim, commit_of(content + "x", "file"))) == Code::integrity);
    proto::Commit wrong = commit_of(content, "file");
    wrong.digest = proto::sha256("something else");
    CHECK(code_of(box.agent->commit(box.op, box.claim, wrong)) == Code::integrity);
    // A bit that flips on the box after it was written.
    std::string flipped = content;
    flipped[50'000] = static_cast<char>(flipped[50'000] ^ 1);
    support::write_file(box.at(".drawhitch/parts/part"), flipped);
    CHECK(code_of(box.agent->commit(box.op, box.claim, commit_of(content, "file"))) == Code::integrity);
    CHECK_FALSE(std::filesystem::exists(box.at("file")));
    CHECK(part_exists(box));
}

TEST_CASE("commit replaces a file, or refuses to when told so, and never a directory") {
    Box box;
    const std::string content = "new";
    box.put("file", "old");
    std::filesystem::create_directories(box.at("dir/full"));
    REQUIRE(box.agent->write(box.op, box.claim, write_of(content), {}, from(content)));
    proto::Commit careful = commit_of(content, "file");
    careful.no_replace = true;
    CHECK(code_of(box.agent->commit(box.op, box.claim, careful)) == Code::exists);
    CHECK(box.get("file") == "old");
    CHECK_FALSE(box.agent->commit(box.op, box.claim, commit_of(content, "dir")));
    CHECK(code_of(box.agent->commit(box.op, box.claim, commit_of(content, "no/parent"))) == Code::not_found);
    REQUIRE(box.agent->commit(box.op, box.claim, commit_of(content, "file")));
    CHECK(box.get("file") == "new");
}

TEST_CASE("a chunk damaged before it was framed is acked as such, not written, and can be sent again") {
    Box box;
    const std::string content = noise(1000);
    proto::Write request = write_of(content);
    request.root = box.root;
    request.epoch = box.claim.epoch;
    agent::Session& session = box.agent->session();
    const std::uint32_t number = session.submit(request);
    codec::Codec codec;
    proto::EncodedChunk bad = codec.seal(0, content, {});
    bad.bytes[10] = static_cast<char>(bad.bytes[10] ^ 1);
    REQUIRE(session.send_chunk(box.op, number, bad));
    auto ack = proto::decode<proto::WriteAck>(Connection::must(session.receive(box.op)).payload);
    REQUIRE(ack);
    CHECK(ack->reason == proto::Reason::integrity);
    CHECK(support::read_file(box.at(".drawhitch/parts/part")) == std::string(1000, '\0'));
    REQUIRE(session.send_chunk(box.op, number, codec.seal(0, content, {})));
    ack = proto::decode<proto::WriteAck>(Connection::must(session.receive(box.op)).payload);
    CHECK(ack->reason == proto::Reason::none);
    session.follow_up(number, proto::WriteEnd{true});
    const auto written = proto::decode<proto::Written>(Connection::must(session.receive(box.op)).payload);
    CHECK(written->chunks == 1);
    CHECK(written->failed == 1);
}

TEST_CASE("chunks outside the announced file end the write") {
    Box box;
    codec::Codec codec;
    const std::vector<proto::EncodedChunk> bad{codec.seal(1, "x", {}), codec.seal(0, "too long for it", {}),
                                               codec.seal(0, "", {}), codec.seal(0xFFFFFFFF, "x", {})};
    for (const proto::EncodedChunk& chunk : bad) {
        proto::Write request = write_of("ten bytes!");
        request.root = box.root;
        request.epoch = box.claim.epoch;
        agent::Session& session = box.agent->session();
        const std::uint32_t number = session.submit(request);
        REQUIRE(session.send_chunk(box.op, number, chunk));
        const auto answer = Connection::must(session.receive(box.op));
        REQUIRE(answer.type == proto::MessageType::refused);
        CHECK(proto::decode<proto::Refusal>(answer.payload)->reason == proto::Reason::malformed);
    }
    CHECK(std::filesystem::file_size(box.at(".drawhitch/parts/part")) == 10);
}

TEST_CASE("part names are plain, and a part that is no plain file is not written through") {
    Box box;
    for (const std::string name : {"", "..", "a/b", ".hidden", "-x", "na me", "../../escape"}) {
        CHECK(code_of(box.agent->write(box.op, box.claim, write_of("x", name), {}, from("x"))) == Code::protocol);
        CHECK(code_of(box.agent->commit(box.op, box.claim, commit_of("x", "file", name))) == Code::protocol);
    }
    REQUIRE(box.agent->write(box.op, box.claim, write_of("x"), {}, from("x")));
    support::write_file(box.outside() + "/victim", "untouched");
    std::filesystem::create_symlink(box.outside() + "/victim", box.at(".drawhitch/parts/link"));
    CHECK(code_of(box.agent->write(box.op, box.claim, write_of("x", "link"), {}, from("x"))) == Code::unsafe_path);
    std::filesystem::create_hard_link(box.outside() + "/victim", box.at(".drawhitch/parts/hard"));
    CHECK_FALSE(box.agent->write(box.op, box.claim, write_of("x", "hard"), {}, from("x")));
    CHECK(support::read_file(box.outside() + "/victim") == "untouched");
}

TEST_CASE("zero chunks make holes, also over bytes of an earlier try") {
    Box box;
    const std::string zeros(4 * proto::k_chunk, '\0');
    const std::string first = noise(4 * proto::k_chunk);
    REQUIRE(box.agent->write(box.op, box.claim, write_of(first), {}, from(first)));
    REQUIRE(box.agent->write(box.op, box.claim, write_of(zeros), {}, from(zeros)));
    REQUIRE(box.agent->commit(box.op, box.claim, commit_of(zeros, "sparse")));
    CHECK(box.look("sparse").allocated < proto::k_chunk);
}

TEST_CASE("a source that fails or changes its size ends the write, and the connection goes on") {
    Box box;
    const std::string content = noise(2 * proto::k_chunk);
    const auto failing = [](std::uint32_t) -> Result<std::string> { return Error{Code::local_io, "disk broke"}; };
    CHECK(code_of(box.agent->write(box.op, box.claim, write_of(content), {}, failing)) == Code::local_io);
    const auto shrunk = [](std::uint32_t) -> Result<std::string> { return std::string("short"); };
    CHECK(code_of(box.agent->write(box.op, box.claim, write_of(content), {}, shrunk)) == Code::changed);
    CHECK(box.agent->write(box.op, box.claim, write_of(content), {}, from(content)));
}

TEST_CASE("a full disk is told as such, in mid-file, and nothing is put in place") {
    Box box;
    const std::string content = noise(4 * proto::k_chunk);
    // RLIMIT_FSIZE of this process stands in for the disk: the serve loop runs in it.
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    rlimit small = before;
    small.rlim_cur = 2 * proto::k_chunk;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const auto result = box.agent->write(box.op, box.claim, write_of(content), {}, from(content));
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(code_of(result) == Code::remote_failed);
    CHECK(result.error().message.find("too large") != std::string::npos);
    CHECK(box.agent->write(box.op, box.claim, write_of(content), {}, from(content)));
}

TEST_CASE("a bundle writes many files with their modes and makes their directories") {
    Box box;
    std::vector<proto::NewFile> all;
    for (std::uint32_t i = 0; i < 500; ++i) {
        const std::string path = "d" + std::to_string(i % 7) + "/s/f" + std::to_string(i);
        all.push_back(new_file(i, path, noise(i * 19U, i), i % 2 == 0 ? 0755 : 0600));
    }
    all[3].mtime_ns = -1'500'000'000;
    std::size_t next = 0;
    std::filesystem::create_directories(box.at("base"));
    proto::WriteBundle request;
    request.base = "base";
    const auto written = box.agent->write_bundle(box.op, box.claim, request, true, files(all, next));
    REQUIRE(written);
    CHECK(written->files == 500);
    CHECK(written->failures.empty());
    for (const proto::NewFile& file : all)
        REQUIRE(box.get("base/" + file.path) == file.content);
    CHECK(box.look("base/" + all[2].path).mode == 0755);
    CHECK(box.look("base/" + all[3].path).mode == 0600);
    CHECK(box.look("base/" + all[3].path).mtime_ns == -1'500'000'000);
}

TEST_CASE("files of a bundle that cannot be written are named, the others are written") {
    Box box;
    box.put("taken", "old");
    std::filesystem::create_directory_symlink(box.outside(), box.at("out"));
    std::vector<proto::NewFile> all{new_file(10, "good", "1"),
                                    new_file(11, "taken", "2"),
                                    new_file(12, "../escape", "3"),
                                    new_file(13, "out/escape", "4"),
                                    new_file(14, ".drawhitch/epoch", "5"),
                                    new_file(15, "dir/good", "6")};
    all.push_back(new_file(16, "lying", "7"));
    all.back().digest = proto::content_digest("8");
    std::size_t next = 0;
    const auto written = box.agent->write_bundle(box.op, box.claim, {}, false, files(all, next));
    REQUIRE(written);
    CHECK(written->files == 2);
    std::vector<std::pair<std::uint32_t, proto::Reason>> failures;
    for (const proto::ItemFailure& failure : written->failures)
        failures.emplace_back(failure.index, failure.reason);
    using proto::Reason;
    CHECK(failures == std::vector<std::pair<std::uint32_t, Reason>>{{11, Reason::exists},
                                                                    {12, Reason::unsafe_path},
                                                                    {13, Reason::unsafe_path},
                                                                    {14, Reason::unsafe_path},
                                                                    {16, Reason::integrity}});
    CHECK(box.get("taken") == "old");
    CHECK_FALSE(std::filesystem::exists(box.outside() + "/escape"));
    CHECK_FALSE(std::filesystem::exists(box.at("lying")));
    // With `replace` an existing file is replaced, through a temporary name.
    next = 1;
    all.resize(2);
    proto::WriteBundle replacing;
    replacing.replace = true;
    CHECK(Connection::must(box.agent->write_bundle(box.op, box.claim, replacing, false, files(all, next))).files == 1);
    CHECK(box.get("taken") == "2");
    CHECK(std::filesystem::is_empty(box.at(".drawhitch/parts")));
}

TEST_CASE("a small file is replaced atomically, or not at all") {
    Box box;
    proto::WriteSmall request;
    request.path = "current";
    request.content = "first";
    request.mode = 0600;
    REQUIRE(box.agent->write_small(box.op, box.claim, request));
    CHECK(box.look("current").mode == 0600);
    request.content = "second";
    request.no_replace = true;
    CHECK(code_of(box.agent->write_small(box.op, box.claim, request)) == Code::exists);
    CHECK(box.get("current") == "first");
    request.no_replace = false;
    const auto written = box.agent->write_small(box.op, box.claim, request);
    REQUIRE(written);
    CHECK(written->fence == box.look("current").fence());
    CHECK(box.get("current") == "second");
    request.path = "deep/er/current";
    CHECK(code_of(box.agent->write_small(box.op, box.claim, request)) == Code::not_found);
    request.make_parents = true;
    CHECK(box.agent->write_small(box.op, box.claim, request));
    CHECK(std::filesystem::is_empty(box.at(".drawhitch/parts")));
    // A symlink in its place is replaced, never written through.
    support::write_file(box.outside() + "/victim", "untouched");
    std::filesystem::create_symlink(box.outside() + "/victim", box.at("link"));
    request.path = "link";
    CHECK(box.agent->write_small(box.op, box.claim, request));
    CHECK(box.get("link") == "second");
    CHECK(support::read_file(box.outside() + "/victim") == "untouched");
}

TEST_CASE("small means small") {
    Box box;
    proto::WriteSmall request;
    request.path = "file";
    request.content = noise(proto::k_small_max);
    CHECK(box.agent->write_small(box.op, box.claim, request));
    request.content += "x";
    CHECK(code_of(box.agent->write_small(box.op, box.claim, request)) == Code::remote_failed);
    CHECK(code_of(box.agent->read_small(box.op, box.root, "file", 0, proto::k_small_max + 1)) == Code::remote_failed);
}
