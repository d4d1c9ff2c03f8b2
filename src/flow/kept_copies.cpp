#include "flow/kept_copies.hpp"

#include <sys/stat.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "flow/hash_files.hpp"
#include "flow/run_files.hpp"
#include "io/disk/set_aside.hpp"
#include "io/disk/tree_walk.hpp"

namespace drawhitch::flow {

namespace {

class CopyLook {
  public:
    CopyLook(const Op& op, CopyCheck check, std::map<std::string, ledger::HeldFile> held, DyingPlaces* dying)
        : op_(op), check_(check), held_(std::move(held)), dying_(dying) {}

    Result<bool> finds(const model::ReceiptEntry& entry) {
        struct stat found {};
        if (::lstat(entry.local_path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
        if (found.st_size < 0 || static_cast<std::uint64_t>(found.st_size) != entry.file.size) return false;
        if (dying_ != nullptr && dying_->holds(entry.local_path)) {
            dies_.insert(entry.local_path);
            return false;
        }
        if (check_ == CopyCheck::quick) return true;
        const auto held = held_.find(entry.local_path);
        const bool untouched =
            held != held_.end() && held->second.root == entry.file.root && held->second.stamp == disk::stamp_of(found);
        if (untouched) return true;
        TRY_ASSIGN(const std::string digest, sha256_of(entry.local_path));
        return !digest.empty() && digest == entry.file.sha256;
    }

    std::set<std::string> dies() { return std::move(dies_); }

  private:
    // Empty when it cannot be read whole. Read once, however many receipts name the place.
    Result<std::string> sha256_of(const std::string& path) {
        const auto known = read_.find(path);
        if (known != read_.end()) return known->second;
        op_.note("reading " + printable(path) + ": it is not in the state in which it was pulled");
        TRY_ASSIGN(const HashedFile file, hash_copy(op_, path, true));
        std::string digest = file.error || !file.digests.sha256 ? std::string{} : file.digests.sha256->hex();
        return read_.emplace(path, std::move(digest)).first->second;
    }

    const Op& op_;
    CopyCheck check_;
    std::map<std::string, ledger::HeldFile> held_;
    DyingPlaces* dying_;
    std::map<std::string, std::string> read_{};
    std::set<std::string> dies_{};
};

}  // namespace

Result<KeptCopies> kept_copies(const Op& op, const ledger::Ledger& ledger, std::int64_t run, CopyCheck check,
                               DyingPlaces* dying) {
    TRY_ASSIGN(auto places, ledger.covered(run));
    KeptCopies kept{};
    std::set<std::pair<std::string, std::string>> held{};
    std::map<std::pair<std::string, std::string>, ledger::ProvenFile> missed{};
    std::map<std::string, ledger::HeldFile> held_files;
    if (check == CopyCheck::thorough) {
        TRY_ASSIGN(held_files, ledger.held_files(run));
    }
    CopyLook look{op, check, std::move(held_files), dying};
    for (ledger::ProvenFile& place : places) {
        TRY(op.check());
        std::pair<std::string, std::string> content{place.entry.file.path, place.entry.file.root};
        if (held.contains(content)) continue;
        TRY_ASSIGN(const bool here, look.finds(place.entry));
        if (here) {
            missed.erase(content);
            held.insert(std::move(content));
            kept.here.push_back(std::move(place));
        } else {
            missed.try_emplace(std::move(content), std::move(place));
        }
    }
    kept.dying = look.dies();
    for (auto& [content, place] : missed)
        kept.gone.push_back(std::move(place));
    return kept;
}

}  // namespace drawhitch::flow
