#include "flow/exec.hpp"

#include <array>

#include "base/random.hpp"
#include "core/plan/exec_script.hpp"
#include "io/ledger/ledger.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

Result<transport::Exit> exec(const Op& op, Deps& deps, const model::Lease& lease, const ExecRequest& request,
                             const ExecSink& sink) {
    TRY_ASSIGN(const auto box, deps.connector.to(op, lease));
    const std::string nonce = random_hex(8);
    const std::string script = plan::exec_script({request.command, request.directory, request.input.size(), nonce});
    const std::string farewell = plan::exec_ended_script(nonce);
    TRY_ASSIGN(transport::Exit exit, transport::stream_tied_script(op, *box, {script, request.input, farewell}, sink));
    TRY(deps.ledger.contact(lease.id));
    return exit;
}

int exit_code(const transport::Exit& exit) {
    struct Row {
        const char* name;
        int number;
    };
    // The numbers of Linux, which the box runs.
    constexpr std::array k_rows{Row{"HUP", 1},   Row{"INT", 2},   Row{"QUIT", 3},  Row{"ILL", 4},
                                Row{"ABRT", 6},  Row{"BUS", 7},   Row{"FPE", 8},   Row{"KILL", 9},
                                Row{"USR1", 10}, Row{"SEGV", 11}, Row{"USR2", 12}, Row{"PIPE", 13},
                                Row{"ALRM", 14}, Row{"TERM", 15}, Row{"XCPU", 24}, Row{"XFSZ", 25}};
    if (exit.signal.empty()) return exit.code;
    for (const Row& row : k_rows) {
        if (exit.signal == row.name) return 128 + row.number;
    }
    return 128;
}

}  // namespace drawhitch::flow
