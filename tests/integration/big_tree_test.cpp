// A project of thousands of files pushed by the whole program, and one that changes while it is pushed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/program_bench.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using support::ProgramBench;

namespace {

namespace fs = std::filesystem;

constexpr int k_directories = 400;
constexpr int k_files = 5000;

// Four levels deep, with names and modes as they come.
std::string directory_of(int index) {
    const std::string top = "pkg " + std::to_string(index % 8);
    const std::string second = "-m" + std::to_string(index / 8 % 10);
    return top + "/" + second + "/\xc3\xa9" + std::to_string(index / 80) + "/d'" + std::to_string(index);
}

std::string name_of(int index) {
    switch (index % 7) {
        case 0:
            return "with blank " + std::to_string(index) + ".py";
        case 1:
            return "-dash" + std::to_string(index);
        case 2:
            return "\xff\xfe" + std::to_string(index);
        case 3:
            return "line\nend" + std::to_string(index);
        case 4:
            return "$HOME`x`\"q\"" + std::to_string(index);
        default:
            return "f" + std::to_string(index) + ".py";
    }
}

void plant_many(const std::string& root) {
    for (int i = 0; i < k_files; ++i) {
        const std::string directory = root + "/" + directory_of(i % k_directories);
        fs::create_directories(directory);
        const std::string path = directory + "/" + name_of(i);
        support::write_file(path, i % 50 == 0 ? "" : "number " + std::to_string(i) + "\n");
        constexpr mode_t k_modes[] = {0644, 0755, 0600, 0444, 0700};
        ::chmod(path.c_str(), k_modes[i % 5]);
        if (i % 500 == 0) fs::create_symlink(name_of(i), path + ".link");
    }
    fs::create_directory_symlink("pkg 0", root + "/first");
}

struct Seen {
    std::size_t files{0};
    std::size_t links{0};
    std::size_t wrong{0};
};

// Every file of `from` as it is in `in`: content, execute bit, and where links point.
Seen compare(const std::string& from, const std::string& in) {
    Seen seen;
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
        const std::string there = in + entry.path().string().substr(from.size());
        if (entry.is_symlink()) {
            ++seen.links;
            seen.wrong += static_cast<std::size_t>(!fs::is_symlink(there) ||
                                                   fs::read_symlink(there) != fs::read_symlink(entry.path()));
        } else if (entry.is_regular_file()) {
            ++seen.files;
            const bool same =
                fs::is_regular_file(there) && support::read_file(there) == support::read_file(entry.path());
            struct stat here {};
            struct stat copy {};
            ::stat(entry.path().c_str(), &here);
            ::stat(there.c_str(), &copy);
            seen.wrong += static_cast<std::size_t>(!same || (here.st_mode & 0100) != (copy.st_mode & 0100));
        }
    }
    return seen;
}

nlohmann::json pushed(const ProgramBench& bench) {
    return nlohmann::json::parse(bench.must({"push", "b1", "--json"}).out).at("data");
}

// The hash that a tree has, told by a push that sends nothing.
std::string hash_of(const ProgramBench& bench, const std::string& directory) {
    const auto ran = bench.must({"-C", directory, "push", "b1", "-n", "--json"});
    return nlohmann::json::parse(ran.out).at("data").at("hash");
}

// Rewrites a file as long as it lives: every second time in place, so that a reader sees half of two versions.
class Rewriter {
  public:
    explicit Rewriter(std::string path) : path_(std::move(path)) {}
    ~Rewriter() {
        stop_ = true;
        thread_.join();
    }
    Rewriter(const Rewriter&) = delete;
    Rewriter& operator=(const Rewriter&) = delete;

  private:
    void work() {
        for (unsigned n = 0; !stop_; ++n) {
            const std::string bytes(300'000 + n % 7 * 1000, static_cast<char>('a' + n % 26));
            if (n % 2 == 0) {
                support::write_file(path_, bytes);
            } else {
                support::write_file(path_ + ".new", bytes);
                fs::rename(path_ + ".new", path_);
            }
            for (int i = 0; i < 200 && !stop_; ++i)
                std::this_thread::yield();
        }
    }

    std::string path_{};
    std::atomic<bool> stop_{false};
    std::jthread thread_{[this] { work(); }};
};

}  // namespace

TEST_CASE("a project of 5000 files in 400 directories is sent once, and one edit sends one file") {
    ProgramBench bench;
    plant_many(bench.project());
    // The bench keeps a file of its own there.
    const int files = k_files + static_cast<int>(fs::exists(bench.project() + "/drawhitch.toml"));
    const std::uint64_t before = bench.proxy().from_client();
    const auto first = pushed(bench);
    const std::uint64_t whole = bench.proxy().from_client() - before;
    CHECK(first.at("tree_files") == files);
    CHECK(first.at("sent_files") == files);
    const std::string releases = bench.root() + "/releases/";
    const Seen all = compare(bench.project(), releases + first.at("hash").get<std::string>());
    CHECK(all.files == static_cast<std::size_t>(files));
    CHECK(all.links == k_files / 500 + 1);
    CHECK(all.wrong == 0);

    support::write_file(bench.project() + "/" + directory_of(5) + "/" + name_of(5), "edited\n");
    const std::uint64_t middle = bench.proxy().from_client();
    const auto second = pushed(bench);
    CHECK(second.at("sent_files") == 1);
    CHECK(second.at("sent_bytes") == 7);
    CHECK(second.at("linked_files") == files - 1);
    CHECK(bench.proxy().from_client() - middle < whole);
    CHECK(compare(bench.project(), releases + second.at("hash").get<std::string>()).wrong == 0);
    CHECK(pushed(bench).at("up_to_date") == true);

    bench.must({"run", "b1", "--no-outputs", "--no-push", "--", "sleep", "20"});
    const Seen work = compare(bench.project(), bench.root() + "/runs/r1/work");
    CHECK(work.files == static_cast<std::size_t>(files));
    CHECK(work.wrong == 0);
    bench.must({"stop-run", "b1", "r1", "--grace", "0s"});
    // The run's copy is its own.
    support::write_file(bench.root() + "/runs/r1/work/" + directory_of(6) + "/" + name_of(6), "overwritten\n");
    CHECK(compare(bench.project(), releases + second.at("hash").get<std::string>()).wrong == 0);
}

TEST_CASE("a file that changes while it is pushed gives a release that is what its name says, or an error") {
    ProgramBench bench;
    for (int i = 0; i < 30; ++i)
        support::write_file(bench.project() + "/f" + std::to_string(i) + ".py",
                            support::noise(5000, static_cast<unsigned>(i)));
    support::write_file(bench.project() + "/state.txt", "a");
    bench.must({"push", "b1"});
    int good = 0;
    {
        const Rewriter rewriter(bench.project() + "/state.txt");
        for (int round = 0; round < 12; ++round) {
            const auto ran = bench.run({"push", "b1"});
            INFO("round " << round << ": " << ran.err);
            if (ran.code == 0) {
                ++good;
            } else {
                CHECK(ran.code == 1);
                CHECK(ran.err.find("error[E-CHANGED]") != std::string::npos);
                CHECK(ran.err.find("\nnext: drawhitch") != std::string::npos);
            }
            const std::string hash = support::read_file(bench.root() + "/current").substr(0, 64);
            CHECK(hash_of(bench, bench.root() + "/releases/" + hash) == hash);
        }
    }
    INFO(good << " of 12 got through");
    const std::string last = pushed(bench).at("hash");
    CHECK(last == support::read_file(bench.root() + "/current").substr(0, 64));
}
