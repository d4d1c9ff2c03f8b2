// Files that change on the box while they are pulled, through the whole flow and the built helper: what is certified is
// one generation of a file, whole; what is not is named; and when the writer rests, one more pull proves everything.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>

#include "support/eventful_box.hpp"
#include "support/finished_run.hpp"
#include "support/temp_dir.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using flow::FileState;
using model::RosterClass;
using proto::MessageType;
using support::pulled_file;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_mebibyte = 1U << 20U;
constexpr int k_rounds = 6;

// Does its work again and again until it goes; the work is never cut short.
class Busy {
  public:
    explicit Busy(std::function<void(unsigned)> work)
        : thread_([this, work = std::move(work)] {
              for (unsigned n = 1; !stop_; ++n) {
                  work(n);
                  done_ = n;
              }
          }) {}
    ~Busy() {
        stop_ = true;
        thread_.join();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    [[nodiscard]] unsigned done() const { return done_; }

  private:
    std::atomic<bool> stop_{false};
    std::atomic<unsigned> done_{0};
    std::jthread thread_;
};

struct Bench : support::FinishedRun {
    [[nodiscard]] std::string on_box(const std::string& path) const { return run_dir + "/work/" + path; }
    [[nodiscard]] std::string here(const std::string& path) const { return there() + "/" + path; }
    flow::PullReport pull_during(MessageType type, int nth, std::function<void()> event) {
        return support::pull_during(*this, type, nth, std::move(event));
    }
};

// What every report must keep, whatever moved: no problem means that all is certified, and each file that is not
// certified says why.
void check_honest(const flow::PullReport& report) {
    for (const auto& pulled : report.files) {
        INFO(pulled.entry.path << " is " << flow::name_of(pulled.state) << ": " << pulled.why);
        const bool proven = pulled.state == FileState::pulled || pulled.state == FileState::kept;
        CHECK((proven || !pulled.certified));
        CHECK((proven || !pulled.why.empty()));
    }
    for (const auto& unit : report.units) {
        CHECK((unit.proven || !unit.why.empty()));
        CHECK((unit.proven || unit.rotated || report.problem));
    }
    // Exit code 3, and nothing worse.
    if (report.problem) CHECK(report.problem->code == Code::skipped);
}

std::vector<std::string> generations(std::size_t size) {
    std::vector<std::string> all;
    for (unsigned seed = 0; seed < 6; ++seed)
        all.push_back(support::noise(size, seed));
    return all;
}

bool is_one_of(const std::vector<std::string>& all, const std::string& path) {
    return std::ranges::find(all, support::read_file(path)) != all.end();
}

void write_in_place(const std::string& path, std::string_view content) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    constexpr std::size_t k_piece = 128U << 10U;
    for (std::size_t at = 0; at < content.size(); at += k_piece) {
        const std::string_view piece = content.substr(at, k_piece);
        if (::pwrite(fd, piece.data(), piece.size(), static_cast<off_t>(at)) != static_cast<ssize_t>(piece.size()))
            throw std::runtime_error("pwrite");
    }
    ::close(fd);
}

void put_by_rename(const std::string& path, std::string_view content) {
    support::write_file(path + ".tmp", content);
    fs::rename(path + ".tmp", path);
}

// Between two generations, so that a reader meets files at rest, too.
void let_others_work() {
    for (int i = 0; i < 5000; ++i)
        std::this_thread::yield();
}

}  // namespace

TEST_CASE("a checkpoint rewritten in place in a loop is certified as one generation or not at all") {
    for (const std::size_t size : {5 * k_mebibyte + 11, std::size_t{300'000}}) {
        INFO(size << " bytes");
        Bench bench;
        const auto all = generations(size);
        bench.put("last.bin", all[0]);
        bench.claim({{"*.bin", RosterClass::must}});
        {
            const Busy writer([&](unsigned n) {
                write_in_place(bench.on_box("last.bin"), all[n % all.size()]);
                if (n % 3 == 0) let_others_work();
            });
            for (int round = 0; round < k_rounds; ++round) {
                const auto report = bench.pull();
                check_honest(report);
                const auto& pulled = pulled_file(report, "last.bin");
                INFO("round " << round << " " << flow::name_of(pulled.state));
                if (pulled.certified) CHECK(is_one_of(all, bench.here("last.bin")));
            }
        }
        const auto last = bench.pull();
        CHECK(!last.problem);
        CHECK(pulled_file(last, "last.bin").certified);
        CHECK(support::read_file(bench.here("last.bin")) == support::read_file(bench.on_box("last.bin")));
        CHECK(is_one_of(all, bench.here("last.bin")));
    }
}

TEST_CASE("a growing log comes as a beginning of itself, and whole when it rests") {
    for (const bool held_open : {true, false}) {
        INFO((held_open ? "held open" : "opened for each line"));
        Bench bench;
        bench.put("train.log", std::string(2 * k_mebibyte, '.') + "\n");
        bench.claim({{"*.log", RosterClass::must}});
        const std::string path = bench.on_box("train.log");
        int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
        {
            const Busy writer([&](unsigned n) {
                if (!held_open) {
                    ::close(fd);
                    if (n % 4 == 0) let_others_work();
                    fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
                }
                const std::string line = "step " + std::to_string(n) + "\n";
                if (::write(fd, line.data(), line.size()) < 0) throw std::runtime_error("write");
                if (n % 64 == 0) let_others_work();
            });
            for (int round = 0; round < k_rounds; ++round) {
                const auto report = bench.pull();
                check_honest(report);
                const auto& pulled = pulled_file(report, "train.log");
                INFO("round " << round << " " << flow::name_of(pulled.state) << ": " << pulled.why);
                if (held_open) CHECK(pulled.state == FileState::unsettled);
                if (!fs::exists(bench.here("train.log"))) continue;
                const std::string here = support::read_file(bench.here("train.log"));
                CHECK(here.size() > 2 * k_mebibyte);
                CHECK(support::read_file(path).starts_with(here));
            }
        }
        ::close(fd);
        const auto last = bench.pull();
        CHECK(!last.problem);
        CHECK(support::read_file(bench.here("train.log")) == support::read_file(path));
    }
}

TEST_CASE("checkpoints that are rotated away while they are pulled leave no half and no wrong one behind") {
    Bench bench;
    const auto content = [](unsigned step, unsigned part) { return support::noise(k_mebibyte, 10 * step + part); };
    const auto directory = [](unsigned step) { return "checkpoint-" + std::to_string(step); };
    const auto save = [&](unsigned step) {
        const std::string made = bench.on_box("making-" + std::to_string(step));
        fs::create_directories(made);
        for (unsigned part = 0; part < 3; ++part)
            support::write_file(made + "/part" + std::to_string(part), content(step, part));
        fs::rename(made, bench.on_box(directory(step)));
    };
    save(1);
    save(2);
    bench.claim({{"checkpoint-*/", RosterClass::must}});
    unsigned newest = 2;
    std::size_t certified = 0;
    const auto check = [&](const flow::PullReport& report) {
        check_honest(report);
        for (const auto& pulled : report.files) {
            if (!pulled.certified || !pulled.entry.path.starts_with("checkpoint-")) continue;
            const std::size_t slash = pulled.entry.path.find('/');
            const auto step = static_cast<unsigned>(std::stoul(pulled.entry.path.substr(11, slash - 11)));
            const auto part = static_cast<unsigned>(pulled.entry.path.back() - '0');
            ++certified;
            CHECK(support::read_file(bench.here(pulled.entry.path)) == content(step, part));
        }
    };
    {
        const Busy trainer([&](unsigned n) {
            save(n + 2);
            fs::remove_all(bench.on_box(directory(n)));
            newest = n + 2;
        });
        for (int round = 0; round < k_rounds; ++round)
            check(bench.pull());
    }
    const auto last = bench.pull();
    check(last);
    CHECK(!last.problem);
    CHECK(certified >= 6);
    for (const unsigned step : {newest - 1, newest})
        for (const char* part : {"/part0", "/part1", "/part2"})
            CHECK(pulled_file(last, directory(step) + part).certified);
}

TEST_CASE("a checkpoint removed while its files arrive is no failure, and its files are in no receipt") {
    Bench bench;
    for (unsigned part = 0; part < 4; ++part)
        bench.put("checkpoint-1/part" + std::to_string(part), support::noise(9 * k_mebibyte, part));
    bench.put("checkpoint-2/part0", support::noise(k_mebibyte, 9));
    bench.claim({{"checkpoint-*/", RosterClass::must}});
    const auto report =
        bench.pull_during(MessageType::data, 100, [&] { fs::remove_all(bench.on_box("checkpoint-1")); });
    check_honest(report);
    CHECK(!report.problem);
    // The first had come whole by then, and the last had not been opened: the credit is 3 MiB.
    CHECK(pulled_file(report, "checkpoint-1/part0").state == FileState::pulled);
    CHECK(pulled_file(report, "checkpoint-1/part3").state == FileState::vanished);
    for (const auto& pulled : report.files)
        CHECK(pulled.certified == !pulled.entry.path.starts_with("checkpoint-1/"));
    REQUIRE(report.receipt);
    for (const auto& proven : report.receipt->files)
        CHECK(!proven.file.path.starts_with("checkpoint-1/"));
    CHECK(!bench.pull().problem);
}

TEST_CASE("a file renamed into place again and again arrives as one whole generation") {
    for (const std::size_t size : {5 * k_mebibyte + 11, std::size_t{300'000}}) {
        INFO(size << " bytes");
        Bench bench;
        const auto all = generations(size);
        bench.put("last.bin", all[0]);
        bench.claim({{"last.bin", RosterClass::must}});
        {
            const Busy writer([&](unsigned n) {
                put_by_rename(bench.on_box("last.bin"), all[n % all.size()]);
                if (n % 3 == 0) let_others_work();
            });
            for (int round = 0; round < k_rounds; ++round) {
                const auto report = bench.pull();
                check_honest(report);
                INFO("round " << round << " " << flow::name_of(pulled_file(report, "last.bin").state));
                // Certified or not: no name ever shows a mixture.
                if (fs::exists(bench.here("last.bin"))) CHECK(is_one_of(all, bench.here("last.bin")));
            }
        }
        const auto last = bench.pull();
        CHECK(!last.problem);
        CHECK(support::read_file(bench.here("last.bin")) == support::read_file(bench.on_box("last.bin")));
    }
}

TEST_CASE("a file replaced once in the middle of its transfer is pulled whole and certified") {
    const auto all = generations(12 * k_mebibyte);
    using Replace = void (*)(const std::string&, std::string_view);
    for (const Replace replace : {put_by_rename, write_in_place}) {
        INFO((replace == write_in_place ? "in place" : "by rename"));
        Bench bench;
        bench.put("model.bin", all[0]);
        bench.claim({{"model.bin", RosterClass::must}});
        const auto report =
            bench.pull_during(MessageType::data, 2, [&] { replace(bench.on_box("model.bin"), all[1]); });
        check_honest(report);
        CHECK(!report.problem);
        CHECK(pulled_file(report, "model.bin").certified);
        CHECK(is_one_of(all, bench.here("model.bin")));
        CHECK(!bench.pull().problem);
        CHECK(support::read_file(bench.here("model.bin")) == all[1]);
    }
}

TEST_CASE("a file that vanishes after the scan is reported and is no failure, and nothing of it is left here") {
    for (const std::size_t size : {12 * k_mebibyte, std::size_t{1000}}) {
        Bench bench;
        bench.put("gone.bin", support::noise(size, 1));
        bench.put("stays.bin", support::noise(2 * k_mebibyte, 2));
        bench.claim({{"*.bin", RosterClass::must}});
        const auto report = bench.pull_during(MessageType::scan_end, 1, [&] { fs::remove(bench.on_box("gone.bin")); });
        check_honest(report);
        CHECK(!report.problem);
        CHECK(pulled_file(report, "gone.bin").state == FileState::vanished);
        CHECK(pulled_file(report, "stays.bin").certified);
        CHECK(!fs::exists(bench.here("gone.bin")));
        CHECK(!fs::exists(bench.there() + "/.drawhitch"));
    }
}

TEST_CASE("a file that becomes a link or a pipe after the scan is named and never opened") {
    struct Row {
        const char* what{};
        std::function<void(const std::string&)> make{};
    };
    const support::TempDir elsewhere;
    support::write_file(elsewhere / "secret", "not of this run");
    const Row rows[] = {
        {"a link", [&](const std::string& path) { fs::create_symlink(elsewhere / "secret", path); }},
        {"a pipe", [](const std::string& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }},
        {"a directory", [](const std::string& path) { fs::create_directory(path); }},
    };
    for (const std::size_t size : {12 * k_mebibyte, std::size_t{15}}) {
        for (const Row& row : rows) {
            INFO(row.what << " in place of " << size << " bytes");
            Bench bench;
            bench.put("a/model.bin", support::noise(size, 1));
            bench.put("stays.bin", support::noise(2 * k_mebibyte, 2));
            bench.claim({{"**/*.bin", RosterClass::must}});
            const auto report = bench.pull_during(MessageType::scan_end, 1, [&] {
                fs::remove(bench.on_box("a/model.bin"));
                row.make(bench.on_box("a/model.bin"));
            });
            check_honest(report);
            REQUIRE(report.problem);
            CHECK(pulled_file(report, "a/model.bin").state == FileState::failed);
            CHECK(pulled_file(report, "stays.bin").certified);
            CHECK(!fs::exists(fs::symlink_status(bench.here("a/model.bin"))));
        }
    }
}

TEST_CASE("a directory that becomes a link elsewhere after the scan leads nowhere") {
    const support::TempDir elsewhere;
    support::write_file(elsewhere / "model.bin", support::noise(12 * k_mebibyte, 7));
    support::write_file(elsewhere / "small.bin", "not of this run");
    Bench bench;
    bench.put("a/model.bin", support::noise(12 * k_mebibyte, 1));
    bench.put("a/small.bin", "of this run----");
    bench.claim({{"a/*.bin", RosterClass::must}});
    const auto report = bench.pull_during(MessageType::scan_end, 1, [&] {
        fs::rename(bench.on_box("a"), bench.on_box("b"));
        fs::create_directory_symlink(elsewhere.path(), bench.on_box("a"));
    });
    check_honest(report);
    REQUIRE(report.problem);
    for (const char* path : {"a/model.bin", "a/small.bin"}) {
        CHECK(pulled_file(report, path).state == FileState::failed);
        CHECK(!fs::exists(bench.here(path)));
    }
}
