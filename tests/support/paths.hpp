// Where the working copy and the build that runs the tests lie. Tests ask here and use no compiled-in macros
// themselves, so that their objects are the same in every working copy and the compiler cache can share them.
#pragma once

#include <string>

namespace drawhitch::support {

// The project's root: profiles, templates, scripts, tests/golden and so on lie under it.
std::string source_dir();

// The folder of the present build, for example …/build/dev. `drawhitch` lies in it.
std::string binary_dir();
// Where this build has its helpers from: drawhitch-helper-x86_64 lies there.
std::string helper_dir();

}  // namespace drawhitch::support
