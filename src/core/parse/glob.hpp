// Glob: one roster or selection pattern over paths relative to a root, shared by the roster, pull's selection and cp.
//   *.pt         any file or directory of that name, at any depth        /*.pt   only at the root
//   best/**      everything under best                                   best    the file best, or all of the directory
//   ckpt-*/      directories only; each one is a unit, certified as a whole
//   a/*/c.json   a slash inside anchors the pattern at the root
// `*` and `?` do not cross a slash, `**` does as a whole component, [a-z] is a set, a backslash takes the next byte as
// it is. There are no braces. Paths are bytes, compared by component, without leading or trailing slash.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/parse/wildcard.hpp"

namespace drawhitch::parse {

class Glob {
  public:
    // Code::usage names what is wrong: empty, braces, "..", a NUL byte, an unclosed bracket, a lone backslash.
    static Result<Glob> compile(std::string_view pattern);

    // True when the path itself matches.
    [[nodiscard]] bool matches(std::string_view path, bool is_directory) const;
    // True when the file, or a directory it lies in, matches.
    [[nodiscard]] bool covers(std::string_view file) const { return unit_of(file).has_value(); }
    // What is certified together with this file: the outermost matching directory of a pattern that ends in a slash,
    // else the file itself. Empty when the file is not covered.
    [[nodiscard]] std::optional<std::string_view> unit_of(std::string_view file) const;
    // False when nothing under this directory can be covered, so that a walk may leave it out. May err towards true.
    [[nodiscard]] bool may_cover_inside(std::string_view directory) const;

    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_{};
    Wildcard wildcard_{};
    std::string fixed_{};  // leading components without wildcards, "" when not anchored
    bool anchored_{false};
    bool directories_only_{false};
};

}  // namespace drawhitch::parse
