// Files built into the program, so that it needs none beside it. The tables are generated (scripts/cmake/embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace drawhitch::disk {

struct EmbeddedFile {
    std::string_view name{};  // without folder and extension
    std::string_view text{};
};

// profiles/*.toml, by id.
std::span<const EmbeddedFile> shipped_profiles();
// templates/drawhitch.toml, what `adopt` writes into a project that has none.
std::string_view project_template();

}  // namespace drawhitch::disk
