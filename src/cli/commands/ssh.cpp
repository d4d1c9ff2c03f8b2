#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/context.hpp"
#include "cli/retype.hpp"
#include "cli/workplace.hpp"
#include "core/plan/exec_script.hpp"
#include "flow/endpoint_of.hpp"
#include "io/ledger/ledger.hpp"
#include "io/term/output.hpp"
#include "io/transport/openssh.hpp"
#include "io/transport/program.hpp"

namespace drawhitch::cli {

namespace {

// exec says the same as data, but runs no shell without a command.
Error no_json(const Parsed& parsed) {
    std::string line = "drawhitch exec";
    for (const std::string& word : parsed.words())
        line += " " + shell_word(word);
    const std::vector<std::string>& command = parsed.trailing();
    line += " --json -- " + (command.empty() ? "'COMMAND'" : command_line(command));
    return Error{Code::usage, "ssh is for a terminal and has no --json"}
        .because(command.empty() ? "exec has, for one command" : "exec has")
        .then(command.empty() ? "drawhitch help exec" : line);
}

Result<Outcome> run_ssh(Context& context, const Parsed& parsed) {
    if (context.out.for_machines()) return no_json(parsed);
    TRY_ASSIGN(const auto place, Workplace::open(context));
    TRY_ASSIGN(const auto here, place->target(parsed));
    const model::Endpoint& endpoint = here.lease.endpoint;
    const std::vector<std::string> remote = parsed.trailing();
    if (context.globals.dry_run) {
        context.out.text("would open a session on " + printable(here.lease.name) +
                         (remote.empty() ? "" : " and run: " + printable(command_line(remote))));
        return Outcome{};
    }
    if (endpoint.transport == model::TransportKind::local) {
        const std::string shell = context.environment("SHELL").value_or("/bin/sh");
        std::vector<std::string> words = remote.empty() ? std::vector<std::string>{shell} : remote;
        if (remote.size() == 1) words = {"/bin/sh", "-c", remote.front()};
        TRY_ASSIGN(const transport::Exit exit,
                   transport::run_with_terminal(context.op, std::move(words), place->laptop().home));
        return Outcome{.exit = exit.code};
    }
    TRY_ASSIGN(const auto pins, place->ledger().host_keys(here.lease.id));
    transport::OpensshSetup setup = place->connector().openssh(endpoint, place->connector().asks(here.lease));
    setup.cure = flow::adopt_again(here.lease);
    // Only a box that is reached through the program keeps its name there; the others are told in full.
    if (endpoint.transport != model::TransportKind::openssh) setup.alias.clear();
    TRY_ASSIGN(const transport::Exit exit,
               transport::run_attached(context.op, place->connector().target(endpoint), setup, pins,
                                       remote.empty() ? std::string{} : plan::login_line(remote)));
    TRY(place->ledger().contact(here.lease.id));
    return Outcome{.exit = exit.code};
}

}  // namespace

CommandRow ssh_command() {
    return CommandRow{
        .verb = "ssh",
        .group = Group::inspect,
        .summary = "open a shell on a box",
        .description =
            "Your ssh program, with the lease's endpoint and pinned host key, and without the settings that\n"
            "would let the box reach back. Ends with the exit code of the shell or command; a box that cannot\n"
            "be reached or shows another key has the codes that it has everywhere. Several words are the\n"
            "program and its arguments, exactly; a single word is a line for the box's shell. It is for a\n"
            "terminal and has no --json; exec has.",
        .positionals = {{.name = "BOX", .help = "a name from ls", .box_optional = true}},
        .trailing = "COMMAND [ARG…]",
        .examples = {{"drawhitch ssh b1", "a shell"}, {"drawhitch ssh b1 -- htop", "one program on the terminal"}},
        .handler = run_ssh,
    };
}

}  // namespace drawhitch::cli
