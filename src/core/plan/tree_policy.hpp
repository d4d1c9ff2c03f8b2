// Tree policy: what of a scanned local tree is pushed, beyond ignore rules: links that leave the project, loops, FIFOs,
// sockets, devices, what cannot be read. Each thing left out is named once, with its reason. Pure: the walk is over.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/model/project.hpp"
#include "core/proto/file_entry.hpp"

namespace drawhitch::plan {

// Where a symlink leads, seen from inside the tree. The target's text decides, and links met on the way are followed.
enum class LinkKind {
    inside,
    dangling,          // to nothing that is pushed
    loop,              // around in a circle
    outside_absolute,  // an absolute path: it means another place on the box
    outside_above,     // "..", past the root
};
// "points above the project" …: a reason to show; empty for `inside`.
std::string_view describe(LinkKind kind);

// Finds an entry of the tree by path; null when there is none.
using FindEntry = std::function<const proto::FileEntry*(std::string_view path)>;
LinkKind classify_link(std::string_view link_path, std::string_view target, const FindEntry& find);

struct LeftOut {
    std::string path{};
    std::string reason{};
};

struct ScreenedTree {
    std::vector<std::size_t> sent{};      // indexes of the entries that go, links as links
    std::vector<std::size_t> followed{};  // links leading outside in whose place their target's content goes
    std::vector<LeftOut> left_out{};      // what does not go: the push ends "finished with skips"
    std::vector<LeftOut> remarks{};       // what goes, but will not work there as here (dangling links, loops)
};

// `entries` in scan order (each path once), as the walk and the ignore rules left them.
// SpecialFiles::error makes anything left out a refusal: Code::usage, naming the first ones and their number.
Result<ScreenedTree> screen_tree(std::span<const proto::FileEntry> entries, const model::PushRules& rules);

}  // namespace drawhitch::plan
