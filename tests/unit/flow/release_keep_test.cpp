// A release is what was deployed, and nothing else in its directory is drawhitch's to remove, to start or to let die.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>

#include "flow/proven_release.hpp"
#include "flow/push.hpp"
#include "io/ledger/ledger.hpp"
#include "run/faulty_connector.hpp"
#include "support/local_deps.hpp"
#include "support/temp_dir.hpp"
#include "support/test_op.hpp"

using namespace drawhitch;
using support::read_file;
using support::write_file;
namespace fs = std::filesystem;

namespace {

struct Bench {
    support::TestOp op{};
    support::LocalDeps local{op};
    model::Lease lease{local.adopt("b1")};

    Bench() {
        code("print(1)\n");
        fs::create_directories(local.project_directory() + "/lib");
        write_file(local.project_directory() + "/lib/model.py", "class M: pass\n");
        write_file(local.project_directory() + "/run.sh", "#!/bin/sh\necho\n", 0755);
    }
    void code(std::string_view text) const {
        ::unlink((local.project_directory() + "/train.py").c_str());
        write_file(local.project_directory() + "/train.py", text);
    }
    flow::PushReport push() {
        auto report = flow::push(op, local.deps(), {.box = "b1"});
        if (!report) FAIL(report.error().message << " " << report.error().why);
        return std::move(report).value();
    }
    [[nodiscard]] std::string releases() const { return local.root() + "/releases"; }
    [[nodiscard]] std::string at(const std::string& hash, const std::string& path) const {
        return releases() + "/" + hash + "/" + path;
    }
    // The contents of all files of that name below `releases`.
    [[nodiscard]] std::vector<std::string> all(const std::string& name) const {
        std::vector<std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(releases()))
            if (entry.path().filename() == name && entry.is_regular_file()) found.push_back(read_file(entry.path()));
        std::sort(found.begin(), found.end());
        return found;
    }
    void edit(const std::string& path, std::string_view text) const {
        ::chmod(path.c_str(), 0644);
        write_file(path, text);
    }
};

}  // namespace

TEST_CASE("a push of unchanged code loses no file that somebody put into the release in force") {
    Bench bench;
    const auto first = bench.push();
    fs::create_directories(bench.local.root() + "/latest/ckpt");
    write_file(bench.local.root() + "/latest/ckpt/model.pt", "a week");
    const auto second = bench.push();
    CHECK(second.hash == first.hash);
    CHECK(bench.all("model.pt") == std::vector<std::string>{"a week"});
    REQUIRE(second.kept.size() == 1);
    CHECK(second.kept[0].why == "ckpt/model.pt is not of it");
    CHECK(read_file(second.kept[0].directory + "/ckpt/model.pt") == "a week");
    // The release is right again.
    CHECK_FALSE(fs::exists(bench.at(second.hash, "ckpt")));
    CHECK(bench.push().up_to_date);
    // What is kept is told again, until somebody took it; then the rest of it goes.
    bench.code("print(2)\n");
    CHECK(bench.push().kept.size() == 1);
    fs::remove_all(second.kept[0].directory + "/ckpt");
    bench.code("print(3)\n");
    CHECK(bench.push().kept.empty());
    CHECK_FALSE(fs::exists(second.kept[0].directory));
}

TEST_CASE("whichever call of a push fails, somebody's file in the release is there afterwards", "[loop]") {
    Bench bench;
    const bool persistent = GENERATE(true, false);
    CAPTURE(persistent);
    const auto first = bench.push();
    bool over = false;
    std::size_t most = 0;
    for (std::size_t call = 1; !over; call += 2) {
        CAPTURE(call);
        const std::string name = "model" + std::to_string(call) + ".pt";
        write_file(bench.at(first.hash, name), "a week");
        support::HastyClock clock;
        support::TestOp op{clock};
        support::FaultPlan plan{call, persistent};
        support::FaultyConnector connector{plan};
        flow::Deps& deps = bench.local.deps();
        flow::Deps mine{deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
        const auto pushed = flow::push(op, mine, {.box = "b1"});
        over = pushed && !plan.fired;
        CHECK(bench.all(name) == std::vector<std::string>{"a week"});
        most = call;
        // Whatever it left, the next push makes right, and keeps the file.
        const auto next = bench.push();
        CHECK(bench.all(name) == std::vector<std::string>{"a week"});
        CHECK_FALSE(fs::exists(bench.at(next.hash, name)));
        CHECK(fs::exists(bench.at(next.hash, "train.py")));
        for (const auto& entry : fs::directory_iterator{bench.releases()})
            if (entry.path().filename().string().starts_with("kept-")) fs::remove_all(entry.path());
    }
    CHECK(most > 10);
}

TEST_CASE("a push of unchanged code keeps what was edited in the release in force") {
    Bench bench;
    const auto first = bench.push();
    fs::remove(bench.at(first.hash, "train.py"));
    write_file(bench.at(first.hash, "train.py"), "print(6)\n");
    const auto second = bench.push();
    CHECK(read_file(bench.at(second.hash, "train.py")) == "print(1)\n");
    CHECK(bench.all("train.py") == std::vector<std::string>{"print(1)\n", "print(6)\n"});
    REQUIRE(second.kept.size() == 1);
    CHECK(second.kept[0].why == "train.py was edited");
}

TEST_CASE("a release that lost a file, or has nothing more than an interpreter's caches, is built anew and not kept") {
    Bench bench;
    const auto first = bench.push();
    fs::remove(bench.at(first.hash, "train.py"));
    fs::create_directories(bench.at(first.hash, "lib/__pycache__"));
    write_file(bench.at(first.hash, "lib/__pycache__/model.cpython-312.pyc"), "c");
    const auto second = bench.push();
    CHECK(second.kept.empty());
    CHECK(bench.all("train.py").size() == 1);
    CHECK(std::distance(fs::directory_iterator{bench.releases()}, {}) == 1);
}

TEST_CASE("of a release whose files the ledger does not know, everything is kept unless its hash is right") {
    Bench bench;
    const auto first = bench.push();
    REQUIRE(bench.local.ledger().set_note(bench.lease.id, "manifest." + first.hash, ""));
    bench.code("print(2)\n");
    const auto second = bench.push();
    REQUIRE(bench.local.ledger().set_note(bench.lease.id, "manifest." + second.hash, ""));
    write_file(bench.at(second.hash, "model.pt"), "a week");
    std::vector<std::string> pruned;
    for (int i = 3; i < 8; ++i) {
        bench.code("print(" + std::to_string(i) + ")\n");
        const auto report = bench.push();
        pruned.insert(pruned.end(), report.pruned.begin(), report.pruned.end());
    }
    CHECK(pruned.size() == 2);
    CHECK(pruned.front() == first.hash);
    CHECK(std::find(pruned.begin(), pruned.end(), second.hash) == pruned.end());
    CHECK(bench.all("model.pt") == std::vector<std::string>{"a week"});
}

TEST_CASE("an old release is not pruned together with somebody's file in it") {
    Bench bench;
    const auto first = bench.push();
    write_file(bench.at(first.hash, "model.pt"), "a week");
    bench.code("print(2)\n");
    const auto edited = bench.push();
    fs::remove(bench.at(edited.hash, "train.py"));
    write_file(bench.at(edited.hash, "train.py"), "print(8)\n");  // of the same size
    std::vector<std::string> pruned;
    for (int i = 3; i < 10; ++i) {
        bench.code("print(" + std::to_string(i) + ")\n");
        const auto report = bench.push();
        pruned.insert(pruned.end(), report.pruned.begin(), report.pruned.end());
    }
    CHECK(bench.all("model.pt") == std::vector<std::string>{"a week"});
    CHECK(read_file(bench.at(edited.hash, "train.py")) == "print(8)\n");
    CHECK(pruned.size() == 3);
    CHECK(bench.push().up_to_date);
    CHECK(std::find(pruned.begin(), pruned.end(), first.hash) == pruned.end());
}

TEST_CASE("the release in force is proven before it is run, and an edit is found whatever its times say") {
    Bench bench;
    const auto prove = [&] { return flow::proven_release(bench.op, bench.local.deps(), bench.lease); };
    const auto nothing = prove();
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().code == Code::not_found);
    const auto pushed = bench.push();
    CHECK(prove().value() == pushed.hash);
    const std::string file = bench.at(pushed.hash, "train.py");
    struct stat before {};
    REQUIRE(::stat(file.c_str(), &before) == 0);
    bench.edit(file, "print(6)\n");
    const timespec times[]{before.st_atim, before.st_mtim};
    REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
    const auto edited = prove();
    REQUIRE_FALSE(edited);
    CHECK(edited.error().code == Code::integrity);
    CHECK(edited.error().why == "train.py was edited");
    CHECK(edited.error().next == "drawhitch push b1");
    bench.push();
    CHECK(prove().value() == pushed.hash);
    fs::create_directories(bench.at(pushed.hash, "lib/__pycache__"));
    write_file(bench.at(pushed.hash, "lib/__pycache__/model.pyc"), "c");
    REQUIRE_FALSE(prove());
    CHECK(prove().error().why == "caches were written into it");
    fs::remove_all(bench.at(pushed.hash, ""));
    REQUIRE_FALSE(prove());
    CHECK(prove().error().why == "it is not there");
}

TEST_CASE("the files of a release are read-only, and the next release and the pruning do not mind") {
    Bench bench;
    const auto mode = [](const std::string& path) {
        struct stat found {};
        REQUIRE(::stat(path.c_str(), &found) == 0);
        return found.st_mode & 0777U;
    };
    std::string large(700'000, 'd');
    write_file(bench.local.project_directory() + "/large.bin", large);
    const auto first = bench.push();
    CHECK(mode(bench.at(first.hash, "train.py")) == 0444);
    CHECK(mode(bench.at(first.hash, "lib/model.py")) == 0444);
    CHECK(mode(bench.at(first.hash, "large.bin")) == 0444);
    CHECK(mode(bench.at(first.hash, "run.sh")) == 0555);
    bench.code("print(2)\n");
    const auto second = bench.push();
    CHECK(second.linked_files == 3);
    CHECK(mode(bench.at(second.hash, "train.py")) == 0444);
    CHECK(mode(bench.at(second.hash, "run.sh")) == 0555);
    CHECK(bench.push().up_to_date);
    for (int i = 3; i < 8; ++i) {
        bench.code("print(" + std::to_string(i) + ")\n");
        bench.push();
    }
    CHECK_FALSE(fs::exists(bench.at(first.hash, "")));
}
