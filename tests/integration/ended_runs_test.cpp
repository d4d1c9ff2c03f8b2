// Runs that have ended, and a box that is not there any more, or is another one: what the ledger knows is told, and
// that nobody could ask the box, with the exit code for it.
#include <catch2/catch_test_macros.hpp>

#include "support/private_sshd.hpp"
#include "support/program_bench.hpp"
#include "support/run_program.hpp"

using namespace drawhitch;
using support::ProgramBench;
using support::Ran;

namespace {

// The lease's box is looked for at another port from now on.
void move_lease(const ProgramBench& bench, int port) {
    const std::string script =
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
        "c.execute('UPDATE leases SET port = ' + sys.argv[2]); c.commit()";
    const Ran ran = support::run_program(
        {.argv = {"python3", "-c", script, bench.dir() / "state/drawhitch/ledger.db", std::to_string(port)}});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
}

void check_told(const Ran& ran, int code, const std::string& words) {
    INFO(ran.out << "\n" << ran.err);
    CHECK(ran.code == code);
    CHECK(ran.out.find("FAILED") != std::string::npos);
    CHECK(ran.err.find("is known from the ledger alone") != std::string::npos);
    CHECK(ran.err.find(words) != std::string::npos);
    CHECK(ran.err.find("next: ") != std::string::npos);
}

}  // namespace

TEST_CASE("ps and stop-run of a run that has ended say that the box was not asked") {
    ProgramBench bench;
    support::write_file(bench.project() + "/train.py", "print()\n");
    (void)bench.run({"run", "b1", "--name", "r1", "--out", "x", "--", "false"});
    Ran ended;
    for (int looks = 0; looks < 100 && ended.out.find("FAILED") == std::string::npos; ++looks)
        ended = bench.run({"ps", "b1"});
    REQUIRE(bench.run({"ps", "b1"}).code == 0);
    REQUIRE(bench.run({"stop-run", "b1", "r1"}).code == 0);

    const support::PrivateSshd other{{.host_key_types = {"ecdsa"}}};
    move_lease(bench, other.port());
    check_told(bench.run({"ps", "b1"}), 10, "error[E-HOSTKEY]");
    check_told(bench.run({"ps", "b1", "r1"}), 10, "error[E-HOSTKEY]");
    check_told(bench.run({"stop-run", "b1", "r1"}), 10, "error[E-HOSTKEY]");

    move_lease(bench, 1);  // nobody listens there
    check_told(bench.run({"ps", "b1"}), 5, "refused");
    check_told(bench.run({"stop-run", "b1", "r1"}), 5, "refused");
}
