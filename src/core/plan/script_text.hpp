// Building the scripts that go to a box: values are quoted so that any bytes stay what they are.
#pragma once

#include <string>
#include <string_view>

namespace drawhitch::plan {

// Where the box keeps what a script looks at; tests give folders of their own.
struct BoxRoots {
    std::string proc{"/proc"};
    std::string cgroup{"/sys/fs/cgroup"};
    std::string dev{"/dev"};
};

// One shell word. A line that is a lone "." would end the script on its way to the box, so it is written otherwise.
std::string script_word(std::string_view text);
// NAME='value' and a newline.
std::string assignment(std::string_view name, std::string_view value);
// A function NAME that prints exactly `text`.
std::string printer(std::string_view name, std::string_view text);

}  // namespace drawhitch::plan
