// A laptop's disk that somebody else fills while a pull runs: the pull says so, keeps what it has, and goes on from
// there once there is room.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support/eventful_box.hpp"
#include "support/finished_run.hpp"
#include "support/skip.hpp"
#include "support/temp_dir.hpp"
#include "support/tiny_fs.hpp"
#include "support/transfer_bench.hpp"

using namespace drawhitch;
using model::RosterClass;

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t k_mebibyte = 1U << 20U;
constexpr std::uint64_t k_model = 20 * k_mebibyte + 321;
constexpr int k_small_files = 60;

// Writes until nothing more fits.
void fill(const std::string& path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    for (std::string piece(k_mebibyte, 'x'); !piece.empty();) {
        if (::write(fd, piece.data(), piece.size()) <= 0) piece.resize(piece.size() / 2);
    }
    ::close(fd);
}

std::string small_name(int index) {
    return "eval/r" + std::to_string(index) + ".bin";
}

bool all_here(const support::FinishedRun& bench, const std::string& to) {
    const auto same = [&](const std::string& path) {
        return fs::exists(to + "/" + path) &&
               support::read_file(to + "/" + path) == support::read_file(bench.run_dir + "/work/" + path);
    };
    for (int i = 0; i < k_small_files; ++i)
        if (!same(small_name(i))) return false;
    return same("model.bin") && same("optim.bin");
}

// Whatever is visible is right; the rest is not there.
bool nothing_wrong(const support::FinishedRun& bench, const std::string& to) {
    if (!fs::exists(to)) return true;  // it was full before anything came
    for (const auto& entry : fs::recursive_directory_iterator(to)) {
        const std::string path = entry.path().string().substr(to.size() + 1);
        if (!entry.is_regular_file() || !path.ends_with(".bin") || path.starts_with(".drawhitch")) continue;
        if (support::read_file(entry.path()) != support::read_file(bench.run_dir + "/work/" + path)) return false;
    }
    return true;
}

// A receipt speaks only of what lies here, equal to the box.
bool receipt_is_true(const support::FinishedRun& bench, const Result<flow::PullReport>& report) {
    if (!report || !report->receipt) return true;
    for (const auto& proven : report->receipt->files) {
        const std::string& path = proven.file.path;
        const std::string source = path.starts_with("_run/") ? path.substr(5) : "work/" + path;
        if (!fs::exists(proven.local_path)) return false;
        if (support::read_file(proven.local_path) != support::read_file(bench.run_dir + "/" + source)) return false;
    }
    return true;
}

// In the process that sees the small disk: what happened, as text, for the one that judges.
nlohmann::json pull_twice(const std::string& disk, int data_frame) {
    support::FinishedRun bench;
    bench.put("model.bin", support::noise(k_model, 1));
    bench.put("optim.bin", support::noise(6 * k_mebibyte, 2));
    for (int i = 0; i < k_small_files; ++i)
        bench.put(small_name(i), support::noise(40'000, 100U + static_cast<unsigned>(i)));
    bench.claim({{"**/*.bin", RosterClass::must}});
    flow::PullOptions options{};
    options.box = "b1";
    options.run = "r1";
    options.to = disk + "/pull";

    support::EventfulBox box(proto::MessageType::data, data_frame, [&] { fill(disk + "/others"); });
    support::EventfulConnector connector(box);
    flow::Deps& deps = bench.local.deps();
    flow::Deps eventful{deps.ledger, connector, deps.helpers, deps.prompt, deps.laptop, deps.project, deps.settings};
    const auto first = flow::pull(bench.op, eventful, options);
    nlohmann::json seen;
    seen["filled"] = box.happened();
    const std::optional<Error> error = first ? first->problem : std::optional{first.error()};
    seen["no_space"] = error && error->code == Code::no_space;
    seen["message"] = error ? error->message : "";
    seen["receipt_true"] = receipt_is_true(bench, first);
    seen["nothing_wrong"] = nothing_wrong(bench, options.to);
    seen["work_kept"] = fs::exists(options.to + "/.drawhitch") || !fs::exists(options.to);

    fs::remove(disk + "/others");
    const auto second = flow::pull(bench.op, deps, options);
    seen["second_ok"] = second && !second->problem;
    seen["second_fetched"] = second ? second->tally.fetched : 0;
    seen["second_received"] = second ? second->tally.wire.received : 0;
    seen["whole"] = all_here(bench, options.to);
    seen["private_left"] = fs::exists(options.to + "/.drawhitch");
    return seen;
}

}  // namespace

TEST_CASE("a disk that fills up in the middle of a pull ends it with its own exit code, and the next pull goes on") {
    constexpr std::uint64_t k_all = k_model + 6 * k_mebibyte + k_small_files * 40'000;
    // At the first bytes, in the small files, and deep in the large one.
    for (const int data_frame : {1, 12, 60, 150}) {
        const support::TempDir disk;
        const support::TempDir outside;
        const support::TinyFileSystem tiny{disk.path(), "size=48m"};
        if (!tiny.available()) support::skip_without("the right to make user and mount namespaces");
        const Code code = tiny.run([&] {
            try {
                support::write_file(outside / "seen", pull_twice(disk.path(), data_frame).dump());
                return Code::skipped;
            } catch (const std::exception& error) {
                support::write_file(outside / "seen", std::string("null // ") + error.what());
                return Code::internal;
            }
        });
        INFO("filled at data frame " << data_frame << ": " << support::read_file(outside / "seen"));
        REQUIRE(code == Code::skipped);
        const auto seen = nlohmann::json::parse(support::read_file(outside / "seen"));
        CHECK(seen.at("filled") == true);
        CHECK(seen.at("no_space") == true);
        CHECK(seen.at("nothing_wrong") == true);
        CHECK(seen.at("receipt_true") == true);
        CHECK(seen.at("second_ok") == true);
        CHECK(seen.at("whole") == true);
        CHECK(seen.at("private_left") == false);
        // What stopped it is told, not what could not be written down because of that.
        CHECK(seen.at("message").get<std::string>().find("MANIFEST") == std::string::npos);
        CHECK(seen.at("work_kept") == true);
        // Of what had arrived only the credit, the chunks in hand and small files that waited for their flush come
        // again.
        const std::uint64_t arrived = static_cast<std::uint64_t>(data_frame) * (128U << 10U);
        constexpr std::uint64_t k_lost = 3 * k_mebibyte + 2 * k_mebibyte + k_small_files * 40'000;
        CHECK(seen.at("second_fetched").get<std::uint64_t>() <= k_all + k_lost - arrived);
    }
}
