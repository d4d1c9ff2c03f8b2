// A whole recorded conversation, cut at every byte and damaged at every byte, on both sides: the helper must end or go
// on as the protocol says, and never write what the undamaged conversation would not have written.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/proto/limits.hpp"
#include "unit/helper/fixture.hpp"

using namespace drawhitch;
using namespace drawhitch::test;
using proto::MessageType;

namespace fs = std::filesystem;

namespace {

const std::string k_content = "the content of the file";

// What a client sends that claims a root, writes a file, changes things and reads it back.
std::string client_side(const std::string& root) {
    std::string out;
    const auto add = [&out](std::uint32_t request, const auto& message) {
        using Message = std::decay_t<decltype(message)>;
        proto::append_frame(out, Message::k_type, request, proto::encode(message));
    };
    proto::ClientHello hello;
    hello.pull_credit = 1U << 20U;
    add(0, hello);
    add(1, proto::OpenRoot{1, root, true});
    add(2, proto::Claim{1, 1, k_owner_a, false, {}});
    add(3, proto::Write{1, 1, "part", k_content.size(), true});
    codec::Codec codec;
    proto::Fragmenter fragments(codec.seal(0, k_content, {}));
    proto::append_frame(out, MessageType::data, 3, fragments.next());
    add(3, proto::WriteEnd{});
    proto::Commit commit;
    commit.root = 1;
    commit.epoch = 1;
    commit.part = "part";
    commit.path = "file";
    commit.size = k_content.size();
    commit.digest = proto::content_digest(k_content);
    commit.sync = false;
    add(4, commit);
    add(5, proto::Apply{1, 1, false, {{proto::ChangeKind::make_directory, "dir", {}, 0755, 0}}});
    proto::Read read;
    read.root = 1;
    read.path = "file";
    read.ranges = {{0, 1}};
    add(6, read);
    add(7, proto::Scan{.root = 1});
    return out;
}

// How many requests end with the last of these bytes: what the helper must answer before it may be hung up on.
std::size_t whole_requests(std::string_view bytes) {
    proto::FrameDecoder decoder;
    decoder.feed(bytes);
    std::size_t count = 0;
    for (auto frame = decoder.next(); frame && *frame; frame = decoder.next()) {
        const MessageType type = (*frame)->type;
        const bool ends = type != MessageType::client_hello && type != MessageType::write && type != MessageType::data;
        if (ends) ++count;
    }
    return count;
}

// A helper that is told bytes, and what it answers to them.
class Listener {
  public:
    void say(std::string_view bytes) const { (void)write_all(pipes_.to_helper.get(), bytes, "the helper"); }

    // Reads until `count` requests were answered, or the helper ended.
    void hear(std::size_t count) {
        while (answers_ < count && read_more()) {
        }
    }
    helper::Ended hang_up() {
        pipes_.to_helper.reset();
        return ended();
    }
    helper::Ended ended() {
        while (read_more()) {
        }
        return helper_.wait();
    }
    [[nodiscard]] const std::string& heard() const { return heard_; }

  private:
    bool read_more() {
        std::string buffer(65'536, '\0');
        const ssize_t count = ::read(pipes_.from_helper.get(), buffer.data(), buffer.size());
        if (count <= 0) return false;
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
        heard_ += bytes;
        if (!started_) {
            started_ = *finder_.feed(bytes);
            if (started_) decoder_.feed(finder_.take_rest());
        } else {
            decoder_.feed(bytes);
        }
        count_answers();
        return true;
    }

    void count_answers() {
        for (auto frame = decoder_.next(); frame && *frame; frame = decoder_.next()) {
            const MessageType type = (*frame)->type;
            const bool on_the_way = (*frame)->request == 0 || type == MessageType::data ||
                                    type == MessageType::write_ack || type == MessageType::scan_page ||
                                    type == MessageType::progress;
            if (!on_the_way) ++answers_;
        }
    }

    support::InProcessHelper helper_{};
    support::HelperPipes pipes_{helper_.take_pipes()};
    proto::PreambleFinder finder_{support::InProcessHelper::k_nonce};
    proto::FrameDecoder decoder_{};
    bool started_{false};
    std::size_t answers_{0};
    std::string heard_{};
};

std::string record(const std::string& root) {
    const std::string said = client_side(root);
    Listener listener;
    listener.say(said);
    listener.hear(whole_requests(said));
    listener.hang_up();
    return listener.heard();
}

// What may exist below the root after any part of the conversation: nothing but it, and no half of it.
void check_tree(const std::string& root) {
    if (!fs::exists(root)) return;
    for (const auto& entry : fs::directory_iterator(root)) {
        const std::string name = entry.path().filename();
        const bool known = name == ".drawhitch" || name == "dir" || name == "file";
        CAPTURE(name);
        REQUIRE(known);
        if (name == "file") REQUIRE(support::read_file(entry.path()) == k_content);
    }
}

}  // namespace

TEST_CASE("a helper that hears any prefix of a conversation ends with it and leaves no half of anything") {
    support::TempDir dir;
    const std::string whole = client_side(dir / "root");
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        const std::string_view part = std::string_view(whole).substr(0, size);
        Listener listener;
        listener.say(part);
        listener.hear(whole_requests(part));
        REQUIRE(listener.hang_up() == helper::Ended::finished);
        check_tree(dir / "root");
        // Committed once the commit was heard whole, and not before.
        REQUIRE(fs::exists(dir / "root/file") == (whole_requests(part) >= 4));
        fs::remove_all(dir / "root");
    }
}

TEST_CASE("a helper that hears a conversation with one byte flipped serves what came before it and gives up") {
    support::TempDir dir;
    const std::string whole = client_side(dir / "root");
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
        Listener listener;
        // Everything before the byte first, and its answers, so that the damage meets a helper that is not busy.
        const std::size_t before = whole_requests(std::string_view(whole).substr(0, at));
        listener.say(std::string_view(damaged).substr(0, at));
        listener.hear(before);
        listener.say(std::string_view(damaged).substr(at));
        REQUIRE(listener.ended() == helper::Ended::protocol);
        check_tree(dir / "root");
        REQUIRE(fs::exists(dir / "root/file") == (before >= 4));
        fs::remove_all(dir / "root");
    }
}

namespace {

// Where in a recording the answers to each request end.
std::vector<std::size_t> ends_by_request(std::string_view recording) {
    const std::size_t start = recording.find("dh\r\n") - 2 + 8 + proto::k_nonce_size;
    proto::FrameDecoder decoder;
    decoder.feed(recording.substr(start));
    std::vector<std::size_t> ends{0};
    for (auto frame = decoder.next(); frame && *frame; frame = decoder.next()) {
        ends.resize(std::max<std::size_t>(ends.size(), (*frame)->request + 1));
        ends.back() = recording.size() - decoder.buffered();
    }
    return ends;
}

// A Process that plays a recorded helper: the answers to a request come once the client has made it; then it exits.
class Recording final : public transport::Process {
  public:
    Recording(std::string bytes, std::vector<std::size_t> ends) : bytes_(std::move(bytes)), ends_(std::move(ends)) {}

    Result<transport::Step> step(const Op& op, std::string_view outgoing, bool) override {
        TRY(op.check());
        transport::Step step;
        step.sent = outgoing.size();
        listen(outgoing);
        const std::size_t allowed = std::min(bytes_.size(), ends_[std::min(made_, ends_.size() - 1)]);
        step.received = std::string_view(bytes_).substr(at_, std::max(at_, allowed) - at_);
        at_ += step.received.size();
        if (step.received.empty() && outgoing.empty()) step.exit = transport::Exit{};
        return step;
    }

  private:
    void listen(std::string_view outgoing) {
        decoder_.feed(outgoing);
        for (auto frame = decoder_.next(); frame && *frame; frame = decoder_.next())
            made_ = std::max<std::size_t>(made_, (*frame)->request);
    }

    std::string bytes_{};
    std::vector<std::size_t> ends_{};
    proto::FrameDecoder decoder_{};
    std::size_t made_{0};
    std::size_t at_{0};
};

// Plays a helper's side to a client that does what client_side says, and collects what it believed.
struct Believed {
    bool finished{false};
    Code code{Code::internal};
    std::string content{};
    std::vector<std::string> names{};
};

Believed play(const std::string& bytes, const std::vector<std::size_t>& ends) {
    support::TestOp op;
    Believed believed;
    auto process = std::make_unique<Recording>(bytes, ends);
    auto session = agent::Session::start(op, std::move(process), support::InProcessHelper::k_nonce, {});
    if (!session) {
        believed.code = session.error().code;
        return believed;
    }
    const auto agent = agent::Agent::adopt(std::move(*session));
    const auto run = [&]() -> Status {
        TRY(agent->open_root(op, 1, "/root", true));
        TRY_ASSIGN(const agent::Claim claim, agent->claim(op, 1, {k_owner_a, 1, false, {}}));
        proto::Write write{1, 1, "part", k_content.size(), true};
        TRY(agent->write(op, claim, write, {}, [](std::uint32_t) -> Result<std::string> { return k_content; }));
        TRY(agent->commit(op, claim, {}));
        TRY(agent->make_directory(op, claim, "dir", 0755, false));
        proto::Read read;
        read.root = 1;
        read.ranges = {{0, 1}};
        TRY(agent->read(op, read, [&](std::uint32_t, std::string&& raw, const proto::Digest&) {
            believed.content += raw;
            return ok();
        }));
        TRY(agent->scan(op, {.root = 1}, [&](proto::FileEntry&& entry) {
            believed.names.push_back(entry.path);
            return ok();
        }));
        return ok();
    };
    const Status done = run();
    believed.finished = done.has_value();
    if (!done) believed.code = done.error().code;
    return believed;
}

}  // namespace

TEST_CASE("a client that hears any prefix of a helper fails with a class of its own and believes nothing false") {
    support::TempDir dir;
    const std::string whole = record(dir / "root");
    const auto ends = ends_by_request(whole);
    const Believed all = play(whole, ends);
    REQUIRE(all.finished);
    CHECK(all.content == k_content);
    CHECK(all.names == std::vector<std::string>{"dir", "file"});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const Believed part = play(whole.substr(0, size), ends);
        REQUIRE_FALSE(part.finished);
        const bool known = part.code == Code::link_lost || part.code == Code::shell_missing;
        REQUIRE(known);
        REQUIRE((part.content.empty() || part.content == k_content));
    }
}

TEST_CASE("a client that hears a helper with one byte flipped notices, or the byte was before the preamble") {
    support::TempDir dir;
    const std::string whole = "motd\n" + record(dir / "root");
    const auto ends = ends_by_request(whole);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
        const Believed got = play(damaged, ends);
        REQUIRE(got.finished == (at < 5));
        REQUIRE((got.content.empty() || got.content == k_content));
        if (!got.finished) {
            const bool known =
                got.code == Code::protocol || got.code == Code::link_lost || got.code == Code::shell_missing;
            REQUIRE(known);
        }
    }
}
