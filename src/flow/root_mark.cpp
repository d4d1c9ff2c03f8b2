#include "flow/root_mark.hpp"

#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

// Its value is the nonce that was seen.
constexpr const char* k_mark_note = "root.mark";
// Its value is the nonce that was found.
constexpr const char* k_inherited_key = "root.inherited";

}  // namespace

Result<bool> root_was_marked(const ledger::Ledger& ledger, const model::Lease& lease) {
    if (lease.root_nonce.empty()) return false;
    TRY_ASSIGN(const auto seen, ledger.note(lease.id, k_mark_note));
    return seen == lease.root_nonce;
}

Status note_root_mark(ledger::Ledger& ledger, const model::Lease& lease) {
    return ledger.set_note(lease.id, k_mark_note, lease.root_nonce);
}

Result<bool> root_was_inherited(const ledger::Ledger& ledger, const model::Lease& lease) {
    if (lease.root_nonce.empty()) return false;
    TRY_ASSIGN(const auto found, ledger.note(lease.id, k_inherited_key));
    return found == lease.root_nonce;
}

Status note_inherited_root(ledger::Ledger& ledger, const model::Lease& lease) {
    return ledger.set_note(lease.id, k_inherited_key, lease.root_nonce);
}

}  // namespace drawhitch::flow
