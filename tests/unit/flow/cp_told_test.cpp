// What cp tells: what it would do, what it did, and what it left half done.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "flow/cp.hpp"
#include "io/term/prompt.hpp"
#include "io/term/screen.hpp"
#include "support/cancel_at.hpp"
#include "support/local_deps.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;

namespace {

struct Sides {
    support::TestOp op{};
    support::LocalDeps local{op};
    support::TempDir box{};
    support::TempDir here{};
    bool to_box{false};
    term::EchoGuard echo{};
    term::Prompt yes{term::PromptOptions{.no_input = true, .yes = true}, echo};

    explicit Sides(bool way) : to_box(way) { local.adopt("b1"); }
    [[nodiscard]] std::string from() const { return to_box ? here.path() : box.path(); }
    [[nodiscard]] std::string to() const { return to_box ? box.path() : here.path(); }
    flow::CpReport cp(const Op& with, const std::string& name, bool dry_run) {
        const flow::Deps& all = local.deps();
        flow::Deps deps{all.ledger, all.connector, all.helpers, yes, all.laptop, all.project, all.settings, dry_run};
        const std::string source = from() + "/" + name;
        auto report = flow::cp(with, deps, {"b1", to_box ? to() : source, to_box ? source : to(), to_box, "again"});
        if (!report) FAIL(report.error().message);
        return std::move(report).value();
    }
    std::size_t events() {
        const auto lease = local.ledger().lease_by_name("b1");
        REQUIRE(lease);
        const auto all = local.ledger().events(lease->id);
        REQUIRE(all);
        return all->size();
    }
};

const flow::CopiedFile& file(const flow::CpReport& report, const std::string& path) {
    for (const flow::CopiedFile& one : report.files)
        if (one.path == path) return one;
    FAIL("no file " << path);
    return report.files.front();
}

}  // namespace

TEST_CASE("a dry run of cp says what would come and what it would replace, and changes nothing") {
    Sides sides{GENERATE(false, true)};
    const std::string tree = sides.from() + "/tree";
    REQUIRE(::mkdir(tree.c_str(), 0755) == 0);
    REQUIRE(::mkdir((tree + "/sub").c_str(), 0755) == 0);
    support::write_file(tree + "/new.txt", "new");
    support::write_file(tree + "/same.txt", "same");
    support::write_file(tree + "/other.txt", "ours");
    REQUIRE(::mkfifo((tree + "/pipe").c_str(), 0644) == 0);
    REQUIRE(::symlink("new.txt", (tree + "/link").c_str()) == 0);
    REQUIRE(::mkdir((sides.to() + "/tree").c_str(), 0755) == 0);
    support::write_file(sides.to() + "/tree/same.txt", "same");
    support::write_file(sides.to() + "/tree/other.txt", "theirs");
    const std::size_t before = sides.events();

    // Although somebody would have said yes.
    const auto report = sides.cp(sides.op, "tree", true);
    CHECK(report.planned);
    CHECK_FALSE(report.problem);
    CHECK(file(report, "tree/new.txt").planned);
    CHECK(file(report, "tree/other.txt").planned);
    CHECK(file(report, "tree/other.txt").why.find("replaced") != std::string::npos);
    CHECK_FALSE(file(report, "tree/same.txt").planned);
    CHECK_FALSE(file(report, "tree/pipe").planned);
    CHECK(report.replaced == std::vector<std::string>{sides.to() + "/tree/other.txt"});

    CHECK(support::read_file(sides.to() + "/tree/other.txt") == "theirs");
    for (const char* name : {"/tree/new.txt", "/tree/sub", "/tree/link", "/.drawhitch"}) {
        CAPTURE(name);
        struct stat found {};
        CHECK(::lstat((sides.to() + name).c_str(), &found) != 0);
    }
    CHECK(sides.events() == before);
}

TEST_CASE("each file that is on both sides is told with its SHA-256") {
    Sides sides{GENERATE(false, true)};
    support::write_file(sides.from() + "/f.txt", "abc");
    const std::string sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    CHECK(file(sides.cp(sides.op, "f.txt", false), "f.txt").sha256 == sum);
    const auto again = sides.cp(sides.op, "f.txt", false);
    CHECK(file(again, "f.txt").state == flow::FileState::kept);
    CHECK(file(again, "f.txt").sha256 == sum);
}

TEST_CASE("an interrupted cp says what arrived whole, what did not, and how much of it came") {
    Sides sides{GENERATE(false, true)};
    constexpr std::size_t k_size = 64U << 20U;
    const std::string tree = sides.from() + "/tree";
    REQUIRE(::mkdir(tree.c_str(), 0755) == 0);
    support::write_file(tree + "/a.txt", "a");
    std::string big(k_size, 'b');
    for (std::size_t i = 0; i < k_size; i += 997)
        big[i] = static_cast<char>(i * 31 >> 7U);
    support::write_file(tree + "/big.bin", big);
    Cancel cancel;
    support::CancelAt at_half{cancel, k_size / 4};
    const auto report = sides.cp(Op{cancel, system_clock(), at_half}, "tree", false);
    REQUIRE(report.problem);
    CHECK(report.problem->code == Code::cancelled);
    CHECK(report.stopped);
    CHECK(file(report, "tree/big.bin").state == flow::FileState::unfinished);
    CHECK(report.arrived >= k_size / 4);
    CHECK(report.arrived < k_size);
    for (const flow::CopiedFile& one : report.files) {
        struct stat found {};
        const bool there = ::stat((sides.to() + "/" + one.path).c_str(), &found) == 0;
        CHECK((one.state == flow::FileState::pulled) == there);
    }
    // A dry run says how much of that need not come again, and leaves it there.
    const auto planned = sides.cp(sides.op, "tree", true);
    CHECK(planned.held >= k_size / 8);
    CHECK(planned.held < k_size);
    CHECK(sides.cp(sides.op, "tree", true).held == planned.held);
    // Taken up again, it brings the rest.
    const auto rest = sides.cp(sides.op, "tree", false);
    CHECK_FALSE(rest.problem);
    CHECK(support::read_file(sides.to() + "/tree/big.bin") == big);
}
