#include "core/judge/processes.hpp"

#include <catch2/catch_test_macros.hpp>

namespace drawhitch::judge {

namespace {

constexpr std::int64_t k_since = 1'700'000'000;

model::BoxProcess process(const std::string& name, const std::string& script = {}) {
    return {100, 1, name, script, "/data/x", {k_since + 10, 0}, {}, false, false, {}};
}

ProcessPolicy policy() {
    return {{k_since, 0}, {"7f3a"}, {}, {"/", "/dev/shm"}, {"/volume"}};
}

bool listed(const model::BoxProcess& one) {
    return !unowned(std::vector{one}, policy()).empty();
}

}  // namespace

TEST_CASE("a process of ours that no run owns is listed") {
    CHECK(listed(process("python3", "serve.py")));
    CHECK(listed(process("python3")));
    CHECK(listed(process("jupyter-lab")));
    CHECK(listed(process("helper-thing")));
    CHECK(listed(process("bash", "loop.sh")));
    CHECK(listed(process("sh", "-c")));
}

TEST_CASE("a process that sits on a surviving tier is listed when it writes to a wiped one") {
    model::BoxProcess daemon = process("sh", "-c");
    ProcessPolicy surviving = policy();
    surviving.wiped = {"/data"};
    surviving.surviving = {"/", "/data/kept"};
    const auto asked = [&] { return !unowned(std::vector{daemon}, surviving).empty(); };
    daemon.directory = "/srv/x";
    CHECK_FALSE(asked());
    daemon.writes = {"/srv/log", "/data/kept/out", "/database"};
    CHECK_FALSE(asked());
    daemon.writes.emplace_back("/data/out/del (deleted)");
    CHECK(asked());
    daemon.name = "sshd";
    CHECK_FALSE(asked());
}

TEST_CASE("a process is told so that people understand what it is") {
    CHECK(words_for(process("python3.11", "train.py")) == "python3.11 running train.py");
    CHECK(words_for(process("bash", "-c")) == "bash running a command line");
    CHECK(words_for(process("bash", "3")) == "bash running 3");
    CHECK(words_for(process("cc1plus", "src")) == "cc1plus");
    CHECK(words_for(process("pythonic", "x")) == "pythonic");
    CHECK(words_for(process("", "x")) == "a program without a name");
    CHECK(words_for(process("a\x1b[31m")).find('\x1b') == std::string::npos);
}

TEST_CASE("the program itself is not asked about where the laptop is the box") {
    CHECK_FALSE(listed(process("drawhitch", "down")));
    CHECK(listed(process("drawhitch2")));
}

TEST_CASE("runs, logins, the helper and what was there before are not listed") {
    model::BoxProcess of_run = process("python3", "train.py");
    of_run.token = "7f3a";
    CHECK_FALSE(listed(of_run));
    of_run.token = "beef";  // a run of nobody we know
    CHECK(listed(of_run));
    model::BoxProcess old = process("python3");
    old.started = {k_since - 1, 0};
    CHECK_FALSE(listed(old));
    for (const char* name : {"sshd", "bash", "zsh", "sftp-server", "tmux: server"})
        CHECK_FALSE(listed(process(name)));
    model::BoxProcess ours = process("sh", "-c");
    ours.survey = true;
    CHECK_FALSE(listed(ours));
    model::BoxProcess dead = process("python3");
    dead.zombie = true;
    CHECK_FALSE(listed(dead));
}

TEST_CASE("the helper is known by the file it runs, not by a name that a job may borrow") {
    const auto runs = [](const std::string& name, const std::string& file) {
        model::BoxProcess one = process(name);
        one.program = file;
        return one;
    };
    for (const char* place :
         {"/root/.cache/drawhitch", "/run/user/7/drawhitch", "/dev/shm/drawhitch-7", "/data/.drawhitch-helper-7"}) {
        const std::string file = std::string{place} + "/helper-0123abcd4567ef89";
        CHECK_FALSE(listed(runs("helper-0123abcd", file)));
        CHECK_FALSE(listed(runs("helper-0123abcd", file + " (deleted)")));
    }
    CHECK(listed(runs("helper-0123abcd", "")));
    CHECK(listed(runs("helper-0123abcd", "/usr/bin/python3.11")));
    CHECK(listed(runs("helper-0123abcd", "/root/helper-0123abcd4567ef89")));
    CHECK(listed(runs("helper-0123abcd", "/root/.cache/drawhitch/helper-0123abcd")));
    CHECK(listed(runs("helper-ffffffff", "/root/.cache/drawhitch/helper-0123abcd4567ef89")));
    CHECK(listed(runs("memfd:sealed-91", "/memfd:sealed-91 (deleted)")));
}

TEST_CASE("pids the probe of a run reported belong to it") {
    ProcessPolicy owned = policy();
    owned.owned = {100};
    CHECK(unowned(std::vector{process("sh", "run.sh")}, owned).empty());
}

TEST_CASE("a shell with a command line stands behind its living children") {
    model::BoxProcess shell = process("bash", "-c");
    model::BoxProcess child = process("python3", "serve.py");
    child.pid = 101;
    child.parent = 100;
    const auto list = unowned(std::vector{shell, child}, policy());
    REQUIRE(list.size() == 1);
    CHECK(list[0].pid == 101);
    child.zombie = true;
    CHECK(unowned(std::vector{shell, child}, policy()).size() == 1);
}

TEST_CASE("a process that works on no tier at all is listed: it may write to any") {
    ProcessPolicy narrow = policy();
    narrow.wiped = {"/data"};
    model::BoxProcess daemon = process("sleep");
    for (const char* place : {"/", "/opt/x", "/database", "/data/x"}) {
        daemon.directory = place;
        CHECK(unowned(std::vector{daemon}, narrow).size() == 1);
    }
    // The volume lives on, the process does not.
    daemon.directory = "/volume/x";
    CHECK(unowned(std::vector{daemon}, narrow).size() == 1);
}

TEST_CASE("a daemon in the top directory is listed also where that survives, the machine's own services are not") {
    ProcessPolicy surviving = policy();
    surviving.wiped = {"/data"};
    surviving.surviving = {"/"};
    model::BoxProcess daemon = process("sleep");
    daemon.directory = "/";
    CHECK(unowned(std::vector{daemon}, surviving).size() == 1);
    daemon.directory = "/srv";
    CHECK(unowned(std::vector{daemon}, surviving).empty());
    daemon.directory = "/";
    for (const char* name : {"systemd-logind", "cron", "(udev-worker)", "sshd"}) {
        daemon.name = name;
        CHECK(unowned(std::vector{daemon}, surviving).empty());
    }
    // Such a name excuses nothing that somebody started by hand, or that is at work somewhere.
    daemon.name = "cron";
    daemon.parent = 4711;
    CHECK(unowned(std::vector{daemon}, surviving).size() == 1);
    daemon.parent = 1;
    daemon.directory = "/data/x";
    CHECK(unowned(std::vector{daemon}, surviving).size() == 1);
}

TEST_CASE("where a process works decides, and an unknown place counts as wiped") {
    model::BoxProcess one = process("python3");
    one.directory = "/volume/p";
    CHECK(listed(one));
    one.directory = "/volume2";
    CHECK(listed(one));
    one.directory = "";
    CHECK(listed(one));
    ProcessPolicy nothing = policy();
    nothing.wiped = {};
    one.directory = "/data";
    CHECK(unowned(std::vector{one}, nothing).empty());
}

}  // namespace drawhitch::judge
