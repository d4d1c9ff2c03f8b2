#include "core/plan/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "core/proto/path.hpp"

namespace drawhitch::plan {

namespace {

constexpr std::uint32_t k_most_shards = 100'000;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::optional<std::uint32_t> number_of(std::string_view digits) {
    if (digits.empty() || digits.size() > 9 || !std::all_of(digits.begin(), digits.end(), is_digit))
        return std::nullopt;
    std::uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

std::string joined(std::string_view parent, std::string_view name) {
    return parent.empty() ? std::string{name} : std::string{parent} + "/" + std::string{name};
}

constexpr std::string_view k_metadata = ".metadata";

// Torch's distributed checkpoints, by directory: whether the `.metadata` file is there, without which the `.distcp`
// files beside it cannot be read.
using Distributed = std::map<std::string, bool, std::less<>>;

Distributed distributed_checkpoints(std::span<const proto::FileEntry> entries) {
    Distributed found;
    for (const proto::FileEntry& entry : entries) {
        const std::string_view name = proto::path_name(entry.path);
        const std::string_view parent = proto::path_parent(entry.path);
        if (parent.empty() || (name != k_metadata && !name.ends_with(".distcp"))) continue;
        bool& whole = found[std::string{parent}];
        whole = whole || name == k_metadata;
    }
    return found;
}

// The outermost checkpoint directory above a file, if any.
std::optional<std::string> checkpoint_above(std::string_view path, const Distributed& distributed) {
    std::size_t end = path.find('/');
    while (end != std::string_view::npos) {
        const std::string_view directory = path.substr(0, end);
        if (is_checkpoint_name(proto::path_name(directory)) || distributed.contains(directory)) {
            return std::string{directory};
        }
        end = path.find('/', end + 1);
    }
    return std::nullopt;
}

struct ShardSet {
    std::string directory{};
    ShardName first{};
    std::set<std::uint32_t> present{};
    std::string index{};
};

// Keyed by directory, stem, extension and count: two sets of different length are two sets.
using ShardKey = std::string;

ShardKey key_of(std::string_view directory, const ShardName& name) {
    return joined(directory, name.stem) + '\0' + name.extension;
}

std::string shard_file(const ShardSet& set, std::uint32_t index) {
    std::string count = std::to_string(set.first.count);
    std::string number = std::to_string(index);
    const std::size_t width = std::max<std::size_t>(5, count.size());
    return set.first.stem + "-" + std::string(width - std::min(width, number.size()), '0') + number + "-of-" +
           std::string(width - count.size(), '0') + count + set.first.extension;
}

std::string missing_of(const ShardSet& set) {
    for (std::uint32_t i = 1; i <= set.first.count; ++i) {
        if (!set.present.contains(i)) return shard_file(set, i);
    }
    return {};
}

constexpr std::string_view k_index_ending = ".index.json";

// "model.safetensors.index.json" belongs to stem "model", extension ".safetensors".
std::optional<ShardKey> key_of_index(std::string_view path) {
    const std::string_view name = proto::path_name(path);
    if (!name.ends_with(k_index_ending)) return std::nullopt;
    const std::string_view base = name.substr(0, name.size() - k_index_ending.size());
    const std::size_t dot = base.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return std::nullopt;
    return key_of(proto::path_parent(path), {std::string{base.substr(0, dot)}, std::string{base.substr(dot)}, 0, 0});
}

class Grouping {
  public:
    Grouping(std::span<const proto::FileEntry> entries, const Classify& classify)
        : entries_(entries), classify_(classify), distributed_(distributed_checkpoints(entries)) {
        find_shards();
    }

    std::vector<Unit> run() {
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            if (entries_[i].type != proto::FileType::file) continue;
            auto wanted = classify_(entries_[i].path);
            if (wanted) add(i, std::move(*wanted));
        }
        return std::move(units_);
    }

  private:
    void find_shards() {
        for (const proto::FileEntry& entry : entries_) {
            const auto name = shard_name(proto::path_name(entry.path));
            if (!name || entry.type != proto::FileType::file) continue;
            ShardSet& set = shards_[key_of(proto::path_parent(entry.path), *name)];
            if (set.present.empty()) {
                set.first = *name;
                set.directory = proto::path_parent(entry.path);
                set.index = entry.path;
            }
            set.first.count = std::max(set.first.count, name->count);
            set.present.insert(name->index);
        }
        for (const proto::FileEntry& entry : entries_) {
            const auto key = key_of_index(entry.path);
            const auto set = key ? shards_.find(*key) : shards_.end();
            if (set != shards_.end()) set->second.index = entry.path;
        }
    }

    const ShardSet* shards_of(std::string_view path) const {
        const auto name = shard_name(proto::path_name(path));
        const auto key = name ? key_of(proto::path_parent(path), *name) : key_of_index(path).value_or(ShardKey{});
        const auto found = shards_.find(key);
        return found == shards_.end() ? nullptr : &found->second;
    }

    void add(std::size_t index, Wanted match) {
        const std::string& path = entries_[index].path;
        const model::RosterClass wanted = match.wanted;
        Unit made{};
        const ShardSet* set = shards_of(path);
        if (!match.unit.empty() && match.unit != path) {
            made = {std::move(match.unit), UnitKind::directory, wanted, {}, {}};
        } else if (auto directory = checkpoint_above(path, distributed_)) {
            made = {std::move(*directory), UnitKind::directory, wanted, {}, {}};
        } else if (set != nullptr) {
            made = {set->index, UnitKind::shards, wanted, {}, missing_of(*set)};
        } else {
            made = {path, UnitKind::file, wanted, {}, {}};
        }
        const auto [place, fresh] = by_name_.try_emplace(made.name, units_.size());
        if (fresh) units_.push_back(std::move(made));
        Unit& unit = units_[place->second];
        unit.wanted = std::min(unit.wanted, wanted);  // must < nice < scratch
        unit.files.push_back(index);
        const auto home = distributed_.find(proto::path_parent(path));
        if (home != distributed_.end() && !home->second && unit.missing.empty())
            unit.missing = joined(home->first, k_metadata);
        // Shards inside a checkpoint directory must be complete, too.
        if (set != nullptr && unit.missing.empty()) {
            const std::string lacking = missing_of(*set);
            if (!lacking.empty()) unit.missing = joined(set->directory, lacking);
        }
    }

    std::span<const proto::FileEntry> entries_;
    const Classify& classify_;
    Distributed distributed_;
    std::map<ShardKey, ShardSet> shards_{};
    std::map<std::string, std::size_t> by_name_{};
    std::vector<Unit> units_{};
};

}  // namespace

std::vector<Unit> units(std::span<const proto::FileEntry> entries, const Classify& classify) {
    return Grouping{entries, classify}.run();
}

bool is_checkpoint_name(std::string_view name) {
    static constexpr std::array<std::string_view, 7> k_words{"checkpoint", "ckpt",  "global_step", "iteration",
                                                             "iter",       "epoch", "step"};
    const auto matches = [name](std::string_view word) {
        if (name.size() <= word.size()) return false;
        for (std::size_t i = 0; i < word.size(); ++i) {
            if (lower(name[i]) != word[i]) return false;
        }
        std::size_t at = word.size();
        while (at < name.size() && (name[at] == '-' || name[at] == '_' || name[at] == '=' || name[at] == '.')) {
            ++at;
        }
        return at < name.size() && is_digit(name[at]);
    };
    return std::any_of(k_words.begin(), k_words.end(), matches);
}

std::optional<ShardName> shard_name(std::string_view name) {
    const std::size_t of = name.rfind("-of-");
    if (of == std::string_view::npos || of == 0) return std::nullopt;
    const std::size_t dash = name.rfind('-', of - 1);
    if (dash == std::string_view::npos || dash == 0) return std::nullopt;
    const std::string_view tail = name.substr(of + 4);
    const std::size_t digits = std::min(tail.find_first_not_of("0123456789"), tail.size());
    const auto index = number_of(name.substr(dash + 1, of - dash - 1));
    const auto count = number_of(tail.substr(0, digits));
    const std::string_view extension = tail.substr(digits);
    if (!index || !count || !extension.starts_with('.') || *count > k_most_shards || *index > *count)
        return std::nullopt;
    return ShardName{std::string{name.substr(0, dash)}, std::string{extension}, *index, *count};
}

}  // namespace drawhitch::plan
