// A later checkpoint comes as the difference to an earlier one that is still here and on the box.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "flow/pull.hpp"
#include "support/finished_run.hpp"
#include "support/temp_dir.hpp"

using namespace drawhitch;
using flow::FileState;
using model::RosterClass;
using support::checkpoint;
using support::pulled_file;

namespace {

// The file with one bit in so many bytes turned over: a later state of the same tensors, as far as bytes can tell.
std::string later() {
    std::string bytes = checkpoint();
    for (std::size_t at = 4096; at + 4096 < bytes.size(); at += 64)
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
    return bytes;
}

struct Training : support::FinishedRun {
    Training() {
        put("checkpoint-900/weights.dat", checkpoint());
        claim({{"checkpoint-*/**", RosterClass::must}});
        CHECK(!pull().problem);
        put("checkpoint-1000/weights.dat", later());
    }
    std::string came() { return support::read_file(there() + "/checkpoint-1000/weights.dat"); }
};

}  // namespace

TEST_CASE("a checkpoint comes as the difference to the one before it, and says what that saved") {
    Training run;
    const auto report = run.pull();
    CHECK(!report.problem);
    CHECK(report.based_files == 1);
    CHECK(report.tally.on_base == later().size());
    CHECK(report.tally.base_saved > later().size() / 4);
    CHECK(report.tally.wire.received < later().size() / 4);
    CHECK(report.tally.wrong_chunks == 0);
    CHECK(pulled_file(report, "checkpoint-1000/weights.dat").certified);
    CHECK(run.came() == later());
}

TEST_CASE("an earlier checkpoint that is gone from the box, or another there, costs nothing but the difference") {
    for (const bool gone : {true, false}) {
        Training run;
        if (gone) {
            std::filesystem::remove_all(run.run_dir + "/work/checkpoint-900");
        } else {
            run.put("checkpoint-900/weights.dat", std::string(checkpoint().size(), 'x'));
        }
        const auto report = run.pull();
        CHECK(report.tally.on_base == 0);
        CHECK(report.tally.wrong_chunks == 0);
        CHECK(pulled_file(report, "checkpoint-1000/weights.dat").state == FileState::pulled);
        CHECK(run.came() == later());
    }
}

TEST_CASE("an earlier checkpoint that is gone here, or changed here since it was proven, is no base") {
    for (const bool gone : {true, false}) {
        Training run;
        const std::string here = run.there() + "/checkpoint-900/weights.dat";
        std::filesystem::remove(here);
        if (!gone) support::write_file(here, std::string(checkpoint().size(), 'x'));
        const auto report = run.pull();
        CHECK(report.based_files == 0);
        CHECK(report.tally.on_base == 0);
        CHECK(run.came() == later());
    }
}
