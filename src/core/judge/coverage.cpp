#include "core/judge/coverage.hpp"

#include <algorithm>

namespace drawhitch::judge {

namespace {

// Of several files the one in the worst state speaks for the unit. Rising: from covered to unknown.
int badness(Standing standing) {
    switch (standing) {
        case Standing::received:
            return 0;
        case Standing::placed:
            return 1;
        case Standing::survives:
            return 2;
        case Standing::unproven:
            return 3;
        case Standing::mislaid:
            return 4;
        case Standing::changed:
            return 5;
        case Standing::broken:
            return 6;
        case Standing::incomplete:
            return 7;
        case Standing::unstable:
            return 8;
        case Standing::unknown:
            return 9;
    }
    return 9;
}

}  // namespace

std::string_view name_of(Standing standing) {
    switch (standing) {
        case Standing::received:
            return "received";
        case Standing::placed:
            return "placed";
        case Standing::survives:
            return "survives";
        case Standing::unproven:
            return "unproven";
        case Standing::mislaid:
            return "mislaid";
        case Standing::changed:
            return "changed";
        case Standing::unstable:
            return "unstable";
        case Standing::incomplete:
            return "incomplete";
        case Standing::broken:
            return "broken";
        case Standing::unknown:
            return "unknown";
    }
    return "unknown";
}

bool is_covered(Standing standing) {
    switch (standing) {
        case Standing::received:
        case Standing::placed:
        case Standing::survives:
            return true;
        case Standing::unproven:
        case Standing::mislaid:
        case Standing::changed:
        case Standing::unstable:
        case Standing::incomplete:
        case Standing::broken:
        case Standing::unknown:
            return false;
    }
    return false;
}

void Proofs::add_receipt(const std::string& path, const std::string& root, model::Structure structure) {
    if (root.empty()) return;
    proofs_[path].push_back({root, structure == model::Structure::broken, {}, false, false});
}

void Proofs::add_mislaid(const std::string& path, const std::string& root, const std::string& local, bool dies) {
    if (root.empty()) return;
    proofs_[path].push_back({root, false, local, true, dies});
}

void Proofs::add_copy(const std::string& path, const std::string& root, const std::string& place) {
    if (root.empty() || place.empty()) return;
    proofs_[path].push_back({root, false, place, false, false});
}

bool Proofs::holds(const std::string& path, const std::string& root) const {
    const auto found = proofs_.find(path);
    return found != proofs_.end() && !root.empty() && std::ranges::any_of(found->second, [&](const Proof& proof) {
               return proof.root == root && !proof.broken && !proof.mislaid;
           });
}

Standing Proofs::stand(const UnitFacts& unit, const UnitFile& file, UnitStanding& result) const {
    if (file.unreadable) return Standing::unknown;
    if (file.open_for_writing || !file.root || file.root->empty()) return Standing::unstable;
    bool same_but_broken = false;
    bool other_content = false;
    const Proof* copy = nullptr;
    const Proof* lost = nullptr;
    const auto found = proofs_.find(file.path);
    if (found != proofs_.end()) {
        for (const Proof& proof : found->second) {
            if (proof.root != *file.root) {
                other_content = true;
            } else if (proof.mislaid) {
                lost = &proof;
            } else if (proof.broken) {
                same_but_broken = true;
            } else if (proof.place.empty()) {
                return Standing::received;
            } else {
                copy = &proof;
            }
        }
    }
    if (copy != nullptr) {
        result.place = copy->place;
        return Standing::placed;
    }
    if (unit.on_surviving_tier) return Standing::survives;
    if (same_but_broken) return Standing::broken;
    if (lost != nullptr) {
        result.place = lost->place;
        result.copy_dies = lost->dies;
        return Standing::mislaid;
    }
    return other_content ? Standing::changed : Standing::unproven;
}

UnitStanding Proofs::stand(const UnitFacts& unit) const {
    UnitStanding result{.name = unit.name,
                        .path = unit.path,
                        .wanted = unit.wanted,
                        .standing = Standing::received,
                        .record = unit.record,
                        .saved = unit.saved};
    if (unit.files.empty()) result.standing = Standing::unknown;
    const auto take = [&](Standing standing, const std::string& culprit) {
        if (badness(standing) <= badness(result.standing)) return;
        result.standing = standing;
        result.culprit = is_covered(standing) ? std::string{} : culprit;
    };
    for (const UnitFile& file : unit.files) {
        ++result.files;
        result.bytes += file.size;
        take(stand(unit, file, result), file.path);
        result.refused = result.refused || (file.unreadable && file.refused);
    }
    if (!unit.missing.empty()) take(Standing::incomplete, unit.missing);
    return result;
}

}  // namespace drawhitch::judge
