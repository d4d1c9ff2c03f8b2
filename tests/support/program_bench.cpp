#include "support/program_bench.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "support/paths.hpp"

namespace drawhitch::support {

ProgramBench::ProgramBench(const std::string& transport) : transport_(transport) {
    proxy_ = std::make_unique<Proxy>(sshd_.port(), 1 << 18);
    if (::mkdir((sshd_.dir() / "data").c_str(), 0700) != 0) throw std::runtime_error("mkdir");
    add_laptop("");
}

std::vector<std::string> ProgramBench::adopt_words(const std::string& box) const {
    return {"adopt",
            box,
            "ssh",
            "-p",
            std::to_string(proxy_->port()),
            "-i",
            sshd_.client_key(),
            sshd_.user() + "@127.0.0.1",
            "--accept-host-key",
            "any",
            "--transport",
            transport_,
            "--data-dir",
            sshd_.dir() / "data",
            "--project",
            "project"};
}

void ProgramBench::add_laptop(const std::string& name) {
    for (const char* part : {"project", "home", "state"})
        if (::mkdir((dir_ / (name + part)).c_str(), 0700) != 0) throw std::runtime_error("mkdir");
    const Ran adopted = run_on(name, adopt_words("b1"));
    if (adopted.code != 0) throw std::runtime_error("adopt: " + adopted.err + "\n" + sshd_.log());
}

Program ProgramBench::program_on(const std::string& laptop, std::vector<std::string> words) const {
    Program program{};
    program.argv = {binary_dir() + "/drawhitch", "--no-input"};
    program.argv.insert(program.argv.end(), words.begin(), words.end());
    program.env = {"HOME=" + (dir_ / (laptop + "home")), "XDG_STATE_HOME=" + (dir_ / (laptop + "state")),
                   "XDG_CONFIG_HOME=" + (dir_ / (laptop + "home")), "NO_COLOR=1"};
    program.directory = project_on(laptop);
    return program;
}

Program ProgramBench::program(std::vector<std::string> words) const {
    return program_on("", std::move(words));
}

Ran ProgramBench::run_on(const std::string& laptop, std::vector<std::string> words) const {
    return run_program(program_on(laptop, std::move(words)));
}

Ran ProgramBench::run(std::vector<std::string> words) const {
    return run_program(program(std::move(words)));
}

Ran ProgramBench::must(std::vector<std::string> words) const {
    const std::string verb = words.front();
    Ran ran = run(std::move(words));
    if (ran.code != 0) {
        throw std::runtime_error(verb + " ended with " + std::to_string(ran.code) + ": " + ran.err + "\n" +
                                 sshd_.log());
    }
    return ran;
}

bool ProgramBench::killed_after(std::vector<std::string> words, unsigned microseconds) const {
    const int pid = start_program(program(std::move(words)));
    // Not to decide anything by: just another point of its life each time.
    const struct timespec pause = {microseconds / 1'000'000, static_cast<long>(microseconds % 1'000'000) * 1000};
    ::ppoll(nullptr, 0, &pause, nullptr);
    ::kill(pid, SIGKILL);
    return wait_for(pid).signal == SIGKILL;
}

}  // namespace drawhitch::support
