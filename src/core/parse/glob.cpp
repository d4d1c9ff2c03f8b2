#include "core/parse/glob.hpp"

#include "base/text.hpp"

namespace drawhitch::parse {

namespace {

Error bad_pattern(std::string_view pattern, std::string what, std::string why) {
    return Error{Code::usage, "pattern '" + printable(pattern) + "' " + std::move(what)}.because(std::move(why));
}

std::optional<Error> complaint(std::string_view pattern) {
    if (pattern.empty()) return bad_pattern(pattern, "is empty", "");
    if (pattern.find('\0') != std::string_view::npos) {
        return bad_pattern(pattern, "contains a NUL byte", "no file name can contain one");
    }
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '\\') {
            ++i;
        } else if (pattern[i] == '{') {
            return bad_pattern(
                pattern, "contains a brace",
                "braces are not expanded: give one pattern for each alternative, or write \\{ for the byte");
        }
    }
    for (std::string_view part : split(pattern, '/')) {
        if (part == "..") return bad_pattern(pattern, "leaves its root", "patterns are relative to the work tree");
    }
    return std::nullopt;
}

}  // namespace

Result<Glob> Glob::compile(std::string_view pattern) {
    if (auto bad = complaint(pattern)) return std::move(*bad);
    Glob glob;
    glob.text_ = pattern;
    while (pattern.starts_with("./"))
        pattern.remove_prefix(2);
    glob.directories_only_ = pattern.ends_with('/');
    while (pattern.ends_with('/'))
        pattern.remove_suffix(1);
    glob.anchored_ = pattern.find('/') != std::string_view::npos;
    while (pattern.starts_with('/'))
        pattern.remove_prefix(1);
    if (pattern.empty() || pattern == ".") {
        return bad_pattern(glob.text_, "names the root itself", "write ** for everything");
    }
    glob.wildcard_ = Wildcard::compile(pattern, DeepStar::whole_component);
    if (glob.wildcard_.is_broken()) {
        return bad_pattern(glob.text_, "can match nothing", "a bracket is not closed, or a backslash ends it");
    }
    if (glob.anchored_) {
        const std::string_view literal = pattern.substr(0, pattern.find_first_of("*?[\\"));
        const std::size_t slash = literal.rfind('/');
        if (literal.size() == pattern.size()) {
            glob.fixed_ = pattern;
        } else if (slash != std::string_view::npos) {
            glob.fixed_ = literal.substr(0, slash);
        }
    }
    return glob;
}

bool Glob::matches(std::string_view path, bool is_directory) const {
    if (path.empty() || (directories_only_ && !is_directory)) return false;
    if (!anchored_) path = path.substr(path.rfind('/') + 1);
    return wildcard_.matches(path);
}

std::optional<std::string_view> Glob::unit_of(std::string_view file) const {
    for (std::size_t slash = file.find('/'); slash != std::string_view::npos; slash = file.find('/', slash + 1)) {
        if (!matches(file.substr(0, slash), true)) continue;
        return directories_only_ ? file.substr(0, slash) : file;
    }
    if (matches(file, false)) return file;
    return std::nullopt;
}

bool Glob::may_cover_inside(std::string_view directory) const {
    if (!anchored_ || fixed_.empty() || directory.empty()) return true;
    const std::string_view shorter = directory.size() < fixed_.size() ? directory : std::string_view(fixed_);
    const std::string_view longer = directory.size() < fixed_.size() ? std::string_view(fixed_) : directory;
    if (!longer.starts_with(shorter)) return false;
    return longer.size() == shorter.size() || longer[shorter.size()] == '/';
}

}  // namespace drawhitch::parse
