#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <stdexcept>

#include "box.hpp"
#include "core/plan/exec_script.hpp"

using namespace drawhitch;
using support::Ran;
using support::Shell;

namespace {

plan::ExecSpec spec_of(std::vector<std::string> command, std::size_t input_bytes = 0) {
    plan::ExecSpec spec;
    spec.command = std::move(command);
    spec.input_bytes = input_bytes;
    return spec;
}

// The script under `shell`, as the first process of a session or inside one, with a stdin that never ends or has ended.
Ran run(const Shell& shell, const plan::ExecSpec& spec, const std::string& stdin_of, bool leads = true) {
    const support::TempDir dir;
    support::write_file(dir / "script", plan::exec_script(spec));
    // Held open here alone: the watcher ends when this test lets go, as it does when a connection ends.
    const std::string open_end = dir / "open";
    if (::mkfifo(open_end.c_str(), 0600) != 0) throw std::runtime_error("no pipe can be made");
    const int held = ::open(open_end.c_str(), O_RDWR | O_CLOEXEC);
    std::string line = "exec 3<&- 4<'" + open_end + "'; exec";
    for (const std::string& word : shell.argv)
        line += " " + shell_quote(word);
    line += " '" + (dir / "script") + "' <" + stdin_of;
    support::Program program;
    if (leads) program.argv.emplace_back("setsid");
    for (const std::string& word : {std::string{"/bin/sh"}, std::string{"-c"}, line})
        program.argv.push_back(word);
    program.env.push_back("PATH=" + shell.path);
    Ran ran = support::run_program(program);
    ::close(held);
    return ran;
}

}  // namespace

TEST_CASE("a command of exec's runs under every shell and ends as itself") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    const bool leads = GENERATE(true, false);
    CAPTURE(shell.name, leads);
    auto spec = spec_of({"sh", "-c", "printf '[%s]' \"$@\"; pwd; exit 9", "sh", "it's\n.\n", "", "*"});
    spec.directory = "/usr";
    const Ran ran = run(shell, spec, "&4", leads);
    CHECK(ran.code == 9);
    CHECK(ran.out == "[it's\n.\n][][*]/usr\n");
    CHECK(ran.err.empty());
    CHECK(run(shell, spec_of({"kill -KILL $$"}), "&4", leads).signal == 9);
}

TEST_CASE("a command of exec's ends under every shell when its stdin does") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    const bool leads = GENERATE(true, false);
    CAPTURE(shell.name, leads);
    CHECK(run(shell, spec_of({"sleep", "600"}), "/dev/null", leads).signal == 15);
}

TEST_CASE("a command of exec's does not start with a part of its input") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    CAPTURE(shell.name);
    const Ran ran = run(shell, spec_of({"echo", "started"}, 5), "/dev/null");
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK(ran.err == "drawhitch: the input did not arrive whole\n");
}
