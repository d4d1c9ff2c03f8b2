#include "flow/down/named_before.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "core/judge/box_path.hpp"
#include "flow/run_files.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::string_view k_named_note = "down.named";
constexpr std::size_t k_most_names = 4096;  // names that are kept

// One name a line, encoded: names are bytes, and may hold line ends.
Result<std::vector<std::string>> kept(const ledger::Ledger& ledger, std::int64_t lease) {
    TRY_ASSIGN(const auto text, ledger.note(lease, k_named_note));
    std::vector<std::string> lines{};
    if (!text) return lines;
    for (const std::string_view line : split(*text, '\n'))
        if (!line.empty()) lines.emplace_back(line);
    return lines;
}

// The run's own directories, and the files that receipts prove.
Result<bool> is_place_of(const ledger::Ledger& ledger, const model::Run& run, const std::string& name) {
    const model::RunSpec& spec = run.spec;
    if (spec.run_dir.empty() || !judge::is_inside(name, spec.run_dir)) return false;
    if (name == spec.run_dir || name == spec.work_dir) return true;
    TRY_ASSIGN(const auto proven, ledger.covered(run.id));
    return std::ranges::any_of(proven, [&](const ledger::ProvenFile& file) {
        return judge::is_inside(spec.run_dir + "/" + box_path(file.entry.file.path), name);
    });
}

}  // namespace

Status remember_named(ledger::Ledger& ledger, std::int64_t lease, const std::vector<std::string>& told) {
    TRY_ASSIGN(std::vector<std::string> lines, kept(ledger, lease));
    const std::set<std::string> known{lines.begin(), lines.end()};
    bool more = false;
    for (const std::string& name : told) {
        std::string line = base64(name);
        if (known.contains(line)) continue;
        lines.push_back(std::move(line));
        more = true;
    }
    if (!more) return ok();
    if (lines.size() > k_most_names)
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(k_most_names));
    return ledger.set_note(lease, std::string{k_named_note}, join(lines, "\n"));
}

Result<std::vector<std::string>> named_before(const ledger::Ledger& ledger, const model::Lease& lease,
                                              const std::vector<model::Run>& runs,
                                              const std::vector<std::string>& names) {
    std::vector<std::string> before{};
    if (names.empty()) return before;
    TRY_ASSIGN(const auto lines, kept(ledger, lease.id));
    for (const std::string& name : names) {
        bool known = std::ranges::find(lines, base64(name)) != lines.end();
        for (const model::Run& run : runs) {
            if (known) break;
            TRY_ASSIGN(known, is_place_of(ledger, run, name));
        }
        if (known) before.push_back(name);
    }
    return before;
}

}  // namespace drawhitch::flow
