#include "flow/run/claim.hpp"

#include <algorithm>
#include <array>

#include "base/random.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

std::string key_of(const std::string& name) {
    return "run.token." + name;
}

bool same_outputs(const model::Roster& a, const model::Roster& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.pattern == y.pattern && x.wanted == y.wanted; });
}

}  // namespace

Result<std::string> known_token(const ledger::Ledger& ledger, std::int64_t lease, const std::string& name) {
    TRY_ASSIGN(const auto note, ledger.note(lease, key_of(name)));
    return note.value_or("");
}

Result<std::string> claim_token(ledger::Ledger& ledger, std::int64_t lease, const std::string& name) {
    TRY_ASSIGN(std::string token, known_token(ledger, lease, name));
    if (!token.empty()) return token;
    token = random_hex(16);
    TRY(ledger.set_note(lease, key_of(name), token));
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

bool asks_for(const LaunchOptions& options, const model::RunSpec& claimed) {
    return options.command == claimed.command && options.activate == claimed.activate && options.gpus == claimed.gpus &&
           options.scratch == claimed.scratch && same_outputs(options.roster, claimed.roster);
}

}  // namespace drawhitch::flow
