#include "flow/run/claim.hpp"

#include <csignal>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/random.hpp"
#include "base/text.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

std::string token_note(const std::string& name) {
    return "run.token." + name;
}

bool same_outputs(const model::Roster& a, const model::Roster& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.pattern == y.pattern && x.wanted == y.wanted; });
}

}  // namespace

Result<std::string> known_token(const ledger::Ledger& ledger, std::int64_t lease, const std::string& name) {
    TRY_ASSIGN(const auto note, ledger.note(lease, token_note(name)));
    return note.value_or("");
}

Result<std::string> claim_token(ledger::Ledger& ledger, std::int64_t lease, const std::string& name) {
    TRY_ASSIGN(std::string token, known_token(ledger, lease, name));
    if (!token.empty()) return token;
    token = random_hex(16);
    TRY(ledger.set_note(lease, token_note(name), token));
    return token;
}

bool never_connected(const Error& error) {
    constexpr std::array k_codes{Code::dns,        Code::refused, Code::connect_timeout, Code::no_banner,
                                 Code::host_key,   Code::auth,    Code::key_permissions, Code::key_unusable,
                                 Code::not_trusted};
    return std::find(k_codes.begin(), k_codes.end(), error.code) != k_codes.end();
}

bool awaits_its_start(const model::Run& run) {
    return run.identity.pid == 0 && run.attempt == 1 && !model::is_terminal(run.verdict.kind);
}

bool launch_is_under_way(const model::Run& run, WallTime now) {
    constexpr std::int64_t k_longest_launch_s = 3600;  // three tries of ten minutes, each after a connection
    if (!awaits_its_start(run) || now.seconds - run.created.seconds > k_longest_launch_s) return false;
    const auto pid = static_cast<pid_t>(run.spec.started_by_pid);
    return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM);
}

std::string stop_command(const std::string& box, const std::string& run) {
    return "drawhitch stop-run " + shell_word(box) + " " + shell_word(run);
}

std::string name_stays_taken(const std::string& box, const std::string& run) {
    return "the name " + run + " stays taken: the same command goes on with it, and `" + stop_command(box, run) +
           "` gives it up";
}

std::optional<Error> unbegun_problem(const std::string& box, const model::Run& run, WallTime now) {
    if (!awaits_its_start(run) || launch_is_under_way(run, now)) return std::nullopt;
    return Error{Code::not_found, "run " + run.spec.name + " of " + box + " was never seen to begin"}
        .because("its launch was interrupted; " + name_stays_taken(box, run.spec.name))
        .then(stop_command(box, run.spec.name));
}

bool asks_for(const LaunchOptions& options, const model::RunSpec& claimed) {
    return options.command == claimed.command && options.activate == claimed.activate && options.gpus == claimed.gpus &&
           options.scratch == claimed.scratch && same_outputs(options.roster, claimed.roster);
}

}  // namespace drawhitch::flow
