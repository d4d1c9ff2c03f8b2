// Where a run keeps its things below the project's root on the box.
#pragma once

#include <string>
#include <string_view>

namespace drawhitch::plan {

// `root` is absolute; `run` is a plain name.
std::string run_directory(std::string_view root, std::string_view run);
std::string work_directory(std::string_view root, std::string_view run);
// `volatile_dir` is ours, on a volatile tier, and shared by all our projects on the box; project and run are plain
// names. The token keeps two projects of one name apart, whose runs have one name.
std::string environment_file(std::string_view volatile_dir, std::string_view project, std::string_view run,
                             std::string_view token);

}  // namespace drawhitch::plan
