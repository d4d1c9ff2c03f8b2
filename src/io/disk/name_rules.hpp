// What a local file system does to names, found out by trying: a laptop's disk may ignore case (macOS, Windows, exFAT)
// or the form of Unicode letters.
#pragma once

#include "base/result.hpp"
#include "io/disk/root.hpp"

namespace drawhitch::disk {

struct NameBehaviour {
    bool ignores_case{false};
    bool ignores_unicode_form{false};  // composed and decomposed letters name the same file
    bool operator==(const NameBehaviour&) const = default;
};

// Makes one empty file in `root` for the moment of the question. The Codes of creating a file; a file system that
// refuses names beyond ASCII ignores no form.
Result<NameBehaviour> probe_names(const Root& root);

}  // namespace drawhitch::disk
