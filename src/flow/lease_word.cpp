#include "flow/lease_word.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace drawhitch::flow {

namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = problem == std::errc{} && end == text.data() + text.size() && number > 0;
    return whole ? std::optional{number} : std::nullopt;
}

Result<std::optional<model::Lease>> lease_of_number(const ledger::Ledger& ledger, std::int64_t number) {
    auto lease = ledger.lease(number);
    if (lease) return std::optional{std::move(*lease)};
    if (lease.error().code == Code::not_found) return std::optional<model::Lease>{};
    return lease.error();
}

// "NAME@NUMBER"; none for any other word, and where that lease had another name.
Result<std::optional<model::Lease>> numbered(const ledger::Ledger& ledger, std::string_view word) {
    const std::size_t at = word.rfind('@');
    const auto number = at == std::string_view::npos ? std::nullopt : number_of(word.substr(at + 1));
    if (!number) return std::optional<model::Lease>{};
    TRY_ASSIGN(auto lease, lease_of_number(ledger, *number));
    if (lease && lease->name != word.substr(0, at)) lease.reset();
    return lease;
}

}  // namespace

std::string word_of(const model::Lease& lease) {
    return lease.state == model::LeaseState::closed ? lease.name + "@" + std::to_string(lease.id) : lease.name;
}

bool is_numbered(std::string_view word) {
    const std::size_t at = word.rfind('@');
    return at != std::string_view::npos && at > 0 && number_of(word.substr(at + 1));
}

Error no_such_lease(std::string_view word) {
    return Error{Code::not_found, "there is no lease " + printable(word)}
        .because("BOX@LEASE is the name of a box and the number of its lease")
        .then("drawhitch lease ls");
}

Result<model::Lease> lease_to_read(const ledger::Ledger& ledger, const std::string& word) {
    TRY_ASSIGN(auto old, numbered(ledger, word));
    if (old) return std::move(*old);
    if (is_numbered(word)) return no_such_lease(word);
    auto open = ledger.lease_by_name(word);
    if (open || open.error().code != Code::not_found) return open;
    TRY_ASSIGN(const auto ended, ledger.find_lease(word));
    if (!ended) return open;
    return Error{Code::not_found, "the lease of " + printable(word) + " has ended"}
        .because("while its box is still there, it can be read as " + word_of(*ended) +
                 " (pull, verify, cp, ps, logs, watch)")
        .then("drawhitch show " + shell_word(word_of(*ended)));
}

Result<model::Lease> lease_to_change(const ledger::Ledger& ledger, const std::string& word) {
    TRY_ASSIGN(auto old, numbered(ledger, word));
    if (!old) return ledger.lease_by_name(word);
    if (old->state != model::LeaseState::closed) return std::move(*old);
    return Error{Code::usage, printable(word) + " has ended: its box can be read, and nothing there is changed"}
        .because("pull, verify, cp from it, ps, logs, watch and show take it")
        .then("drawhitch show " + shell_word(word));
}

Result<std::optional<model::Lease>> find_lease_word(const ledger::Ledger& ledger, const std::string& word,
                                                    bool numbers) {
    TRY_ASSIGN(auto old, numbered(ledger, word));
    if (old) return old;
    TRY_ASSIGN(auto named, ledger.find_lease(word));
    if (named) return named;
    const auto number = numbers ? number_of(word) : std::nullopt;
    return number ? lease_of_number(ledger, *number)
                  : Result<std::optional<model::Lease>>{std::optional<model::Lease>{}};
}

}  // namespace drawhitch::flow
