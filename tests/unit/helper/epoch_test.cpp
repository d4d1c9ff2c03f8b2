// Epochs: who may write, and that nobody else ever does, however late.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "unit/helper/fixture.hpp"

using namespace drawhitch;
using namespace drawhitch::test;

namespace {

proto::WriteSmall small(std::string path, std::string content) {
    proto::WriteSmall request;
    request.path = std::move(path);
    request.content = std::move(content);
    return request;
}

agent::ClaimOptions as(const std::string& owner, std::uint64_t epoch = 0, bool steal = false) {
    return agent::ClaimOptions{owner, epoch, steal, "note of " + owner.substr(0, 1)};
}

}  // namespace

TEST_CASE("epochs rise by one, and the next connection sees the one in force") {
    Box box;
    CHECK(box.claim.epoch == 1);
    CHECK(box.claim.locking);
    Connection second(box.top());
    second.claim_as(k_owner_a);
    CHECK(second.claim.epoch == 2);
    CHECK(Connection::must(second.agent->open_root(second.op, 9, box.top(), false)).epoch == 2);
}

TEST_CASE("a later claim of the same owner fences the earlier one before its next write") {
    Box box;
    REQUIRE(box.agent->write_small(box.op, box.claim, small("file", "early")));
    Connection second(box.top());
    second.claim_as(k_owner_a);
    const auto late = box.agent->write_small(box.op, box.claim, small("file", "late"));
    CHECK(code_of(late) == Code::locked);
    CHECK(box.get("file") == "early");
    CHECK(second.agent->write_small(second.op, second.claim, small("file", "second")));
    // Every other kind of change is fenced alike.
    CHECK(code_of(box.agent->remove(box.op, box.claim, "file", false)) == Code::locked);
    CHECK(code_of(box.agent->make_directory(box.op, box.claim, "d", 0755, false)) == Code::locked);
    CHECK(code_of(box.agent->probe_root(box.op, box.claim)) == Code::locked);
    CHECK(code_of(box.agent->commit(box.op, box.claim, {})) == Code::locked);
    CHECK(box.get("file") == "second");
    // Looking stays allowed.
    CHECK(box.look("file").size == 6);
}

TEST_CASE("data that was under way when a later claim came is never written") {
    Box box;
    const std::string content = noise(3000);
    proto::Write write;
    write.root = box.root;
    write.epoch = box.claim.epoch;
    write.part = "part";
    write.size = content.size();
    const std::uint32_t number = box.agent->session().submit(write);
    REQUIRE(box.agent->session().ping(box.op));  // the part is open now
    Connection second(box.top());
    second.claim_as(k_owner_a);
    codec::Codec codec;
    REQUIRE(box.agent->session().send_chunk(box.op, number, codec.seal(0, content, {})));
    const auto answer = Connection::must(box.agent->session().receive(box.op));
    REQUIRE(answer.type == proto::MessageType::refused);
    const auto refusal = *proto::decode<proto::Refusal>(answer.payload);
    CHECK(refusal.reason == proto::Reason::fenced);
    CHECK(refusal.value == 2);
    CHECK(support::read_file(box.at(".drawhitch/parts/part")) == std::string(content.size(), '\0'));
}

TEST_CASE("connections of one transfer share its epoch") {
    Box box;
    Connection second(box.top());
    const auto joined = second.agent->claim(second.op, second.root, as(k_owner_a, box.claim.epoch));
    REQUIRE(joined);
    CHECK(joined->epoch == box.claim.epoch);
    CHECK(second.agent->write_small(second.op, *joined, small("one", "1")));
    CHECK(box.agent->write_small(box.op, box.claim, small("two", "2")));
}

TEST_CASE("another owner is told that the root is busy, with the note, and may steal it") {
    Box box;
    Connection other(box.top());
    const auto busy = other.agent->claim(other.op, other.root, as(k_owner_b));
    CHECK(code_of(busy) == Code::locked);
    CHECK(busy.error().retry == Retry::after_wait);
    CHECK(busy.error().why == "a test");
    CHECK(box.agent->write_small(box.op, box.claim, small("file", "still mine")));
    const auto stolen = other.agent->claim(other.op, other.root, as(k_owner_b, 0, true));
    REQUIRE(stolen);
    CHECK(code_of(box.agent->write_small(box.op, box.claim, small("file", "late"))) == Code::locked);
}

TEST_CASE("a root whose helper has ended is not busy") {
    support::TempDir dir;
    {
        Connection first(dir / "root");
        first.claim_as(k_owner_a);
    }
    Connection second(dir / "root");
    second.claim_as(k_owner_b);
    CHECK(second.claim.epoch == 2);
}

TEST_CASE("an epoch can be named: higher takes over, lower and foreign equal ones are fenced") {
    Box box;
    Connection second(box.top());
    REQUIRE(second.agent->claim(second.op, second.root, as(k_owner_a, 1'000'000)));
    Connection third(box.top());
    CHECK(code_of(third.agent->claim(third.op, third.root, as(k_owner_a, 999'999))) == Code::locked);
    CHECK(code_of(third.agent->claim(third.op, third.root, as(k_owner_b, 1'000'000, true))) == Code::locked);
    CHECK(Connection::must(third.agent->claim(third.op, third.root, as(k_owner_a))).epoch == 1'000'001);
}

TEST_CASE("changes need a claim, and the epoch that was claimed") {
    Box box;
    Connection second(box.top());
    CHECK(code_of(second.agent->write_small(second.op, agent::Claim{second.root, 1, true}, small("x", "y"))) ==
          Code::remote_failed);
    CHECK(code_of(box.agent->write_small(box.op, agent::Claim{box.root, 2, true}, small("x", "y"))) ==
          Code::remote_failed);
    CHECK_FALSE(std::filesystem::exists(box.at("x")));
}

TEST_CASE("a claim waits for a write under way, and no write begins after it") {
    Box box;
    // Another process in the middle of a write holds the epoch file's lock shared.
    const UniqueFd writer{::open(box.at(".drawhitch/epoch").c_str(), O_RDWR | O_CLOEXEC)};
    REQUIRE(::flock(writer.get(), LOCK_SH) == 0);
    Connection second(box.top());
    proto::Claim request{second.root, 0, k_owner_a, false, {}};
    const std::uint32_t number = second.agent->session().submit(request);
    REQUIRE(second.agent->session().keep_alive(second.op));
    // The new epoch is in force although the claim still waits: the first connection is fenced already.
    while (box.agent->write_small(box.op, box.claim, small("file", "x"))) {
    }
    // No answer while that write lasts, however often one looks.
    for (int i = 0; i < 100; ++i) {
        REQUIRE(second.agent->session().keep_alive(second.op));
        REQUIRE_FALSE(second.agent->session().poll());
    }
    REQUIRE(::flock(writer.get(), LOCK_UN) == 0);
    const auto answer = Connection::must(second.agent->session().receive(second.op));
    CHECK(answer.request == number);
    CHECK(answer.type == proto::MessageType::claimed);
}

TEST_CASE("a helper whose root was removed and made anew cannot write into the old one's place") {
    Box box;
    std::filesystem::remove_all(box.top());
    Connection second(box.top());
    second.claim_as(k_owner_a);
    CHECK(second.claim.epoch == 1);
    CHECK(code_of(box.agent->write_small(box.op, box.claim, small("file", "late"))) == Code::locked);
    CHECK_FALSE(std::filesystem::exists(box.at("file")));
}

TEST_CASE("a damaged or empty epoch file counts as none") {
    support::TempDir dir;
    std::filesystem::create_directories(dir / "root/.drawhitch");
    for (const std::string& content :
         {std::string(), std::string("garbage"), std::string("dhepoch1\x05"), std::string(64, '\0')}) {
        support::write_file(dir / "root/.drawhitch/epoch", content);
        Connection box(dir / "root");
        box.claim_as(k_owner_a);
        CHECK(box.claim.epoch == 1);
        CHECK(box.agent->write_small(box.op, box.claim, small("file", "x")));
    }
}

TEST_CASE("owners have sixteen bytes and notes a bound") {
    Box box;
    CHECK(code_of(box.agent->claim(box.op, box.root, as("short"))) == Code::protocol);
    CHECK(code_of(box.agent->claim(
              box.op, box.root, agent::ClaimOptions{k_owner_a, 0, false, std::string(5000, 'n')})) == Code::protocol);
}

TEST_CASE(
    "the root directory of the box cannot be claimed, and a private directory that is a symlink is not followed") {
    support::TempDir dir;
    Connection top("/");
    CHECK(code_of(top.agent->claim(top.op, top.root, as(k_owner_a))) == Code::unsafe_path);
    std::filesystem::create_directories(dir / "root");
    std::filesystem::create_directories(dir / "elsewhere");
    std::filesystem::create_directory_symlink(dir / "elsewhere", dir / "root/.drawhitch");
    Connection trapped(dir / "root");
    CHECK(code_of(trapped.agent->claim(trapped.op, trapped.root, as(k_owner_a))) == Code::unsafe_path);
    CHECK(std::filesystem::is_empty(dir / "elsewhere"));
}

TEST_CASE("the private directory goes with the last claim, and the next claim begins anew") {
    Box box;
    box.put("file", "stays");
    CHECK(box.agent->remove(box.op, box.claim, ".drawhitch", false));
    CHECK_FALSE(std::filesystem::exists(box.at(".drawhitch")));
    CHECK(box.get("file") == "stays");
    // The claim is no more.
    CHECK(code_of(box.agent->write_small(box.op, box.claim, small("file", "late"))) == Code::locked);
    CHECK(box.get("file") == "stays");
    Connection second(box.top());
    second.claim_as(k_owner_b);
    CHECK(second.claim.epoch == 1);
    CHECK(second.agent->write_small(second.op, second.claim, small("file", "second")));
    CHECK(code_of(box.agent->write_small(box.op, box.claim, small("file", "late"))) == Code::locked);
    CHECK(box.get("file") == "second");
}

TEST_CASE("the private directory stays while anything lives in it") {
    Box box;
    const std::string home = box.at(".drawhitch");
    const auto stays = [&](Code code) {
        CHECK(code_of(box.agent->remove(box.op, box.claim, ".drawhitch", true)) == code);
        CHECK(std::filesystem::exists(home + "/epoch"));
        CHECK(std::filesystem::exists(home + "/lock"));
        CHECK(std::filesystem::exists(home + "/gate"));
        CHECK(box.agent->write_small(box.op, box.claim, small("file", "goes on")));
    };
    SECTION("a part") {
        std::filesystem::create_directories(home + "/parts");
        support::write_file(home + "/parts/p", "half");
        const auto removed = box.agent->remove(box.op, box.claim, ".drawhitch", true);
        CHECK_FALSE(removed);
        CHECK(support::read_file(home + "/parts/p") == "half");
        CHECK(box.agent->write_small(box.op, box.claim, small("file", "goes on")));
    }
    SECTION("what somebody else keeps there") {
        std::filesystem::create_directories(home + "/pull-0123456789abcdef");
        const auto removed = box.agent->remove(box.op, box.claim, ".drawhitch", true);
        CHECK_FALSE(removed);
        CHECK(std::filesystem::exists(home + "/pull-0123456789abcdef"));
        CHECK(box.agent->write_small(box.op, box.claim, small("file", "goes on")));
    }
    SECTION("another connection's claim") {
        Connection second(box.top());
        REQUIRE(second.agent->claim(second.op, second.root, as(k_owner_a, box.claim.epoch)));
        stays(Code::locked);
    }
    SECTION("somebody whose turn it is") {
        const UniqueFd gate{::open((home + "/gate").c_str(), O_RDWR | O_CLOEXEC)};
        REQUIRE(::flock(gate.get(), LOCK_EX) == 0);
        stays(Code::locked);
    }
    SECTION("a later claim") {
        Connection second(box.top());
        second.claim_as(k_owner_a);
        CHECK(code_of(box.agent->remove(box.op, box.claim, ".drawhitch", true)) == Code::locked);
        CHECK(std::filesystem::exists(home + "/epoch"));
        CHECK(second.agent->write_small(second.op, second.claim, small("file", "second")));
    }
}

TEST_CASE("who waited for a private directory that went meanwhile gets one of its own") {
    Box box;
    // The turn is held from outside while a second claim comes, and the directory goes under its hands.
    const std::string home = box.at(".drawhitch");
    UniqueFd gate{::open((home + "/gate").c_str(), O_RDWR | O_CLOEXEC)};
    REQUIRE(::flock(gate.get(), LOCK_EX) == 0);
    Connection second(box.top());
    proto::Claim wish{};
    wish.root = second.root;
    wish.owner = k_owner_b;
    second.agent->session().submit(wish);
    // It has opened the files when they are no more only ours.
    const auto opened = [&] {
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
            std::error_code gone;
            const auto target = std::filesystem::read_symlink(entry.path(), gone);
            if (!gone && target == home + "/gate" && entry.path().filename() != std::to_string(gate.get())) return true;
        }
        return false;
    };
    while (!opened())
        REQUIRE(second.agent->session().keep_alive(second.op));
    std::filesystem::remove_all(home);
    gate.reset();
    const auto answer = Connection::must(second.agent->session().receive(second.op));
    REQUIRE(answer.type == proto::MessageType::claimed);
    CHECK(std::filesystem::exists(home + "/epoch"));
    const auto claimed = *proto::decode<proto::Claimed>(answer.payload);
    CHECK(claimed.epoch == 1);
}
