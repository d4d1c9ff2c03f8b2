#include "flow/release_look.hpp"

#include <set>

#include "base/random.hpp"
#include "base/text.hpp"
#include "flow/push.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::string_view k_kept = "kept-";
constexpr std::string_view k_staged_key = "release.staged";
constexpr std::size_t k_hash_digits = 64;
constexpr std::size_t k_kept_bytes = 4;
// A request is one control frame; the paths must fit well inside.
constexpr std::size_t k_skip_bytes = 256U << 10U;

std::string look_note(const std::string& hash) {
    return "manifest." + hash;
}

// Without the directory itself; paths relative to it. Code::not_found when it is not there, Code::permission
// when nobody can say what is in it.
Result<std::vector<proto::FileEntry>> scan_release(const Op& op, agent::Agent& agent, const proto::Scan& scan) {
    const std::string& place = scan.subtrees.front();
    std::vector<proto::FileEntry> entries{};
    bool there = false;
    TRY(agent.scan(op, scan, [&](proto::FileEntry&& entry) -> Status {
        if (entry.path == place) {
            there = entry.error != proto::k_linux_enoent;
            const bool listed = entry.error == 0 && entry.type == proto::FileType::directory && !entry.mount_point;
            if (!there || listed) return ok();
            return Error{Code::permission, "nobody could look into " + printable(place)};
        }
        entry.path.erase(0, place.size() + 1);
        entries.push_back(std::move(entry));
        return ok();
    }));
    if (!there) return Error{Code::not_found, "no release of that name"};
    return entries;
}

// What is foreign by its name need not be read; a result there may be large.
void leave_out(proto::Scan& scan, const plan::ReleaseDifference& difference) {
    std::size_t bytes = 0;
    for (const std::string& path : difference.foreign) {
        bytes += path.size() + scan.subtrees.front().size() + 8;
        if (bytes > k_skip_bytes) break;
        scan.skip.push_back(scan.subtrees.front() + "/" + path);
    }
}

void take_deployed(ReleaseLook& look, std::vector<proto::FileEntry>&& entries) {
    const auto& [foreign, edited, missing] = look.difference;
    std::set<std::string_view> strange(foreign.begin(), foreign.end());
    strange.insert(edited.begin(), edited.end());
    for (proto::FileEntry& entry : entries)
        if (entry.type == proto::FileType::file && !strange.contains(entry.path))
            look.deployed.push_back(std::move(entry));
}

}  // namespace

Status remember_manifest(ledger::Ledger& ledger, std::int64_t lease, const std::string& hash,
                         const std::vector<proto::FileEntry>& entries) {
    TRY_ASSIGN(const auto known, ledger.note(lease, look_note(hash)));
    if (known && !known->empty()) return ok();
    const std::string text = plan::manifest_text(entries);
    return text.empty() ? ok() : ledger.set_note(lease, look_note(hash), text);
}

Status forget_manifest(ledger::Ledger& ledger, std::int64_t lease, const std::string& hash) {
    return ledger.set_note(lease, look_note(hash), "");
}

Result<Manifest> known_manifest(const ledger::Ledger& ledger, std::int64_t lease, const std::string& hash) {
    const auto digest = proto::Digest::from_hex(hash);
    if (!digest) return Manifest{};
    TRY_ASSIGN(const auto text, ledger.note(lease, look_note(hash)));
    return text ? plan::read_manifest(*text, *digest) : Manifest{};
}

Status remember_staged(ledger::Ledger& ledger, std::int64_t lease, const std::string& hash) {
    return ledger.set_note(lease, std::string{k_staged_key}, hash);
}

Result<std::string> staged_hash(const ledger::Ledger& ledger, std::int64_t lease) {
    TRY_ASSIGN(const auto hash, ledger.note(lease, k_staged_key));
    return hash.value_or("");
}

std::string name_for_kept(const std::string& hash) {
    return std::string{k_kept} + hash + "-" + random_hex(k_kept_bytes);
}

std::string hash_of_release_name(std::string_view name) {
    if (name.starts_with(k_kept)) {
        name.remove_prefix(k_kept.size());
        if (name.size() != k_hash_digits + 1 + 2 * k_kept_bytes || name[k_hash_digits] != '-') return {};
        name = name.substr(0, k_hash_digits);
    }
    return proto::Digest::from_hex(name) ? std::string{name} : std::string{};
}

Result<ReleaseLook> look_at_release(const Op& op, agent::Agent& agent, const ReleasePlace& place) {
    ReleaseLook look{};
    const auto hash = proto::Digest::from_hex(place.hash);
    if (!hash) return look;
    proto::Scan scan{};
    scan.root = place.root;
    scan.subtrees = {release_path(place.name)};
    auto entries = scan_release(op, agent, scan);
    if (!entries && entries.error().code == Code::not_found) return look;
    if (!entries) return std::move(entries).error();
    look.there = true;
    look.known = place.manifest.has_value();
    for (const proto::FileEntry& entry : *entries)
        look.bytes += entry.type == proto::FileType::file ? entry.size : 0;
    if (look.known) {
        look.difference = plan::compare_release(*place.manifest, *entries, false);
        if (!look.difference.loses_nothing() && !place.contents_anyway) return look;
        leave_out(scan, look.difference);
    }
    const plan::ReleaseDifference by_name = look.difference;
    scan.digests = true;
    scan.rehash = true;
    TRY_ASSIGN(auto read, scan_release(op, agent, scan));
    if (look.known) {
        look.difference = plan::compare_release(*place.manifest, read, true);
        // The first ones, which the second scan did not see.
        for (std::size_t i = 0; i < scan.skip.size(); ++i)
            look.difference.foreign.push_back(by_name.foreign[i]);
        look.loses_nothing = look.difference.loses_nothing();
        take_deployed(look, std::move(read));
    } else {
        look.loses_nothing = plan::is_whole_release(read, *hash);
        if (look.loses_nothing) take_deployed(look, std::move(read));
    }
    return look;
}

}  // namespace drawhitch::flow
