#include "box.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "base/cancel.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "core/parse/run_probe.hpp"
#include "core/parse/run_records.hpp"
#include "core/plan/run_environment.hpp"
#include "core/plan/run_layout.hpp"

namespace drawhitch::support {

namespace {

void pause_briefly() {
    const Cancel never;
    system_clock().sleep(milliseconds{10}, never);
}

}  // namespace

FakeBox::FakeBox(const Shell& shell) : shell_(shell), root_(dir_ / "root") {
    std::filesystem::create_directories(root_ + "/releases/abc/src");
    std::filesystem::create_directories(root_ + "/runs");
    std::filesystem::create_directories(volatile_dir());
    write_file(root_ + "/releases/abc/train.py", "print('hello')\n", 0444);
    write_file(root_ + "/releases/abc/src/tool", "#!/bin/sh\necho tool\n", 0555);
}

// A job that cannot be ended would live on after the tests: nothing more is tried then.
FakeBox::~FakeBox() {
    try {
        end_jobs();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "a job under %s could not be ended: %s\n", root_.c_str(), error.what());
        std::abort();
    }
}

void FakeBox::end_jobs() const {
    for (const auto& entry : std::filesystem::directory_iterator(root_ + "/runs")) {
        const auto record = start(entry.path().filename().string());
        if (!record || exit(entry.path().filename().string())) continue;
        if (record->pgid > 1) ::kill(static_cast<pid_t>(-record->pgid), SIGKILL);
        await_exit(entry.path().filename().string());
    }
}

Ran FakeBox::script(const std::string& text) const {
    const std::string file =
        dir_ / "script.sh." + std::to_string(::getpid()) + "." + std::to_string(std::hash<std::string>{}(text));
    write_file(file, text);
    Program program{.argv = shell_.argv, .env = {"PATH=" + shell_.path}};
    program.argv.push_back(file);
    return run_program(program);
}

std::string FakeBox::run_file(const std::string& name, const std::string& file) const {
    return plan::run_directory(root_, name) + "/" + file;
}

bool FakeBox::exists(const std::string& path) const {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0;
}

plan::WrapperSpec FakeBox::lay_out(const std::string& name, std::vector<std::string> command) const {
    std::filesystem::create_directories(plan::work_directory(root_, name));
    write_file(run_file(name, "claim"), token_of(name));
    write_file(run_file(name, "attempt"), "1\n");
    plan::WrapperSpec spec;
    spec.name = name;
    spec.run_dir = plan::run_directory(root_, name);
    spec.work_dir = plan::work_directory(root_, name);
    spec.token = token_of(name);
    spec.environment_file = plan::environment_file(volatile_dir(), "project", name, token_of(name));
    spec.command = std::move(command);
    spec.roots = roots;
    return spec;
}

void FakeBox::write_wrapper(const plan::WrapperSpec& spec, const plan::Variables& variables) const {
    write_file(spec.environment_file, plan::environment_text(variables), 0600);
    write_file(spec.run_dir + "/run.sh", plan::wrapper_text(spec).value());
}

int FakeBox::start_supervising(const std::string& name) const {
    Program program{.argv = shell_.argv, .env = {"PATH=" + shell_.path}};
    program.argv.push_back(run_file(name, "run.sh"));
    return start_program(program);
}

void FakeBox::supervise(const std::string& name) const {
    (void)wait_for(start_supervising(name));
}

plan::PrepareSpec FakeBox::prepare_spec(const std::string& name) const {
    plan::PrepareSpec spec;
    spec.nonce = k_nonce;
    spec.root = root_;
    spec.name = name;
    spec.token = token_of(name);
    spec.release = "abc";
    spec.volatile_dirs = {volatile_dir()};
    spec.roots = roots;
    return spec;
}

Ran FakeBox::launch(const std::string& name, std::vector<std::string> command, const std::string& driver) const {
    const plan::WrapperSpec wrapper = lay_out(name, std::move(command));
    plan::StartSpec spec;
    spec.nonce = k_nonce;
    spec.run_dir = wrapper.run_dir;
    spec.name = name;
    spec.driver = driver;
    spec.environment_file = wrapper.environment_file;
    spec.wrapper_text = plan::wrapper_text(wrapper).value();
    spec.record_text = "{}\n";
    return script(plan::start_script(spec));
}

model::PollFacts FakeBox::probe(const std::vector<plan::ProbeRun>& runs, std::int64_t log_cap) const {
    plan::ProbeSpec spec;
    spec.nonce = k_nonce;
    spec.root = root_;
    spec.runs = runs;
    spec.log_cap = log_cap;
    spec.roots = roots;
    std::vector<parse::AskedRun> asked;
    for (const auto& run : runs)
        asked.push_back({run.name, run.roster.size()});
    const Ran ran = script(plan::probe_script(spec));
    return parse::run_probe(ran.out, k_nonce, asked);
}

model::RunFacts FakeBox::facts(const std::string& name, const model::Roster& roster) const {
    return probe({{name, roster, 0}}).runs.at(0);
}

std::optional<model::StartRecord> FakeBox::start(const std::string& name) const {
    const std::string file = run_file(name, "start.json");
    return exists(file) ? parse::start_record(read_file(file)) : std::nullopt;
}

std::optional<model::ExitRecord> FakeBox::exit(const std::string& name) const {
    const std::string file = run_file(name, "exit.json");
    return exists(file) ? parse::exit_record(read_file(file)) : std::nullopt;
}

void FakeBox::await(const std::string& path) const {
    const Instant limit = system_clock().now() + std::chrono::seconds(10);
    while (!exists(path)) {
        if (system_clock().now() > limit) throw std::runtime_error("waited in vain for " + path);
        pause_briefly();
    }
}

}  // namespace drawhitch::support
