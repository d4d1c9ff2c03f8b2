#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <stdexcept>

#include "box.hpp"
#include "core/plan/box_scripts.hpp"
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

TEST_CASE("a watcher ends with the group it watches, and sooner than it would kill") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    CAPTURE(shell.name);
    const support::TempDir dir;
    // Counts how often it waited; a shell that has a sleep of its own is only asked for the end.
    support::write_file(dir / "sleep", "#!/bin/sh\necho \"$1\" >>'" + (dir / "slept") + "'\nexec /bin/sleep \"$1\"\n");
    ::chmod((dir / "sleep").c_str(), 0700);
    support::write_file(dir / "slept", "");
    std::string watcher;
    for (const std::string& word : shell.argv)
        watcher += shell_quote(word) + " ";
    watcher += "-c " + shell_quote(plan::box_exec_watch_sh()) + " watcher $$ -$$ </dev/null >/dev/null 2>&1 & ";
    support::Program program;
    // Its last words come when the whole group has let go of the pipe, the watcher with it.
    program.argv = {"setsid", "/bin/sh", "-c", "exec 9>&1; " + watcher + "exec sleep 600"};
    program.env = {"PATH=" + dir.path() + ":" + shell.path + ":/usr/bin:/bin"};
    const Ran ran = support::run_program(program);
    CHECK(ran.signal == 15);
    const std::string slept = support::read_file(dir / "slept");
    CHECK(std::ranges::count(slept, '\n') < 50);
    CHECK(slept.find("5\n0") == std::string::npos);
    for (const std::string_view line : split(trim(slept), '\n'))
        CHECK((line.empty() || line == "600" || line == "0.05"));
}

TEST_CASE("whoever waits for the end of a command hears whether it came") {
    const Shell& shell = GENERATE(from_range(support::shells()));
    CAPTURE(shell.name);
    const support::TempDir dir;
    support::write_file(dir / "script", plan::exec_ended_script("0123456789abcdef"));
    support::Program waiter;
    waiter.argv = shell.argv;
    waiter.argv.push_back(dir / "script");
    waiter.env = {"PATH=" + shell.path};
    CHECK(support::run_program(waiter).code == 0);
    const std::string open_end = dir / "open";
    const std::string ready = dir / "ready";
    for (const std::string& pipe : {open_end, ready})
        REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int held = ::open(open_end.c_str(), O_RDWR | O_CLOEXEC);
    support::Program watcher;
    watcher.argv = {"/bin/sh", "-c",
                    ": >'" + ready + "'; read -r line <'" + open_end + "'; :", "drawhitch-exec-0123456789abcdef"};
    const int pid = support::start_program(watcher);
    ::close(::open(ready.c_str(), O_RDONLY | O_CLOEXEC));  // opens once the other side has
    CHECK(support::run_program(waiter).code == 3);
    ::close(held);
    support::wait_for(pid);
    CHECK(support::run_program(waiter).code == 0);
}
