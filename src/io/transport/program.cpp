#include "io/transport/program.hpp"

#include <signal.h>

#include "base/text.hpp"

namespace drawhitch::transport {

namespace {

constexpr std::size_t k_most_output = 256U << 10U;
constexpr std::size_t k_tail = 4U << 10U;

}  // namespace

Result<std::unique_ptr<Child>> start_program(std::vector<std::string> argv, bool own_session) {
    const std::string name = argv.front();
    auto child = Child::start(ChildSpec{std::move(argv), {}, {}, own_session});
    // A directory of PATH that we may not look into reads as a lack of permission.
    const bool looked_up = name.find('/') == std::string::npos;
    if (!child && (child.error().code == Code::not_found || (looked_up && child.error().code == Code::permission))) {
        return Error{Code::not_found, "there is no program \"" + printable(name) + "\" on this machine"}.because(
            "on Debian and Ubuntu the package openssh-client has it");
    }
    return child;
}

Result<ProgramOutput> run_program(const Op& op, std::vector<std::string> argv) {
    const std::string name = argv.front();
    TRY_ASSIGN(const std::unique_ptr<Child> child, start_program(std::move(argv), true));
    ProgramOutput output;
    for (;;) {
        TRY_ASSIGN(const Step step, child->step(op, {}, true));
        (step.stream == Stream::err ? output.err : output.out).append(step.received);
        if (output.out.size() + output.err.size() > k_most_output) {
            return Error{Code::protocol, printable(name) + " prints too much"};
        }
        if (step.exit) {
            output.exit = *step.exit;
            return output;
        }
    }
}

Result<ToolOutcome> run_tool(const Op& op, std::vector<std::string> argv, const std::string& directory,
                             milliseconds limit) {
    ChildSpec spec;
    spec.argv = std::move(argv);
    spec.directory = directory;
    TRY_ASSIGN(const std::unique_ptr<Child> child, Child::start(spec));
    const Op limited = op.within(limit);
    ToolOutcome outcome;
    for (;;) {
        const auto step = child->step(limited, {}, true);
        if (!step) {
            // The program may have ended and left others behind that hold its streams. It is not reaped yet, so the
            // number of its group is still its own.
            ::kill(-child->pid(), SIGKILL);
            TRY(op.check());
            if (step.error().code != Code::deadline) return step.error();
            outcome.timed_out = true;
            return outcome;
        }
        outcome.tail.append(step->received);
        if (outcome.tail.size() > k_tail) outcome.tail.erase(0, outcome.tail.size() - k_tail);
        if (step->exit) {
            outcome.exit = *step->exit;
            return outcome;
        }
    }
}

Result<Exit> run_with_terminal(const Op& op, std::vector<std::string> argv, const std::string& directory) {
    ChildSpec spec;
    spec.argv = std::move(argv);
    spec.directory = directory;
    spec.own_session = false;
    spec.own_streams = false;
    TRY_ASSIGN(const std::unique_ptr<Child> child, Child::start(spec));
    for (;;) {
        TRY_ASSIGN(const Step step, child->step(op, {}, true));
        if (step.exit) return *step.exit;
    }
}

}  // namespace drawhitch::transport
