#include "core/plan/run_layout.hpp"

namespace drawhitch::plan {

std::string run_directory(std::string_view root, std::string_view run) {
    return std::string(root).append("/runs/").append(run);
}

std::string work_directory(std::string_view root, std::string_view run) {
    return run_directory(root, run) + "/work";
}

std::string environment_file(std::string_view volatile_dir, std::string_view project, std::string_view run,
                             std::string_view token) {
    return std::string(volatile_dir)
        .append("/")
        .append(project)
        .append(".")
        .append(run)
        .append(".")
        .append(token.substr(0, 8))
        .append(".env");
}

}  // namespace drawhitch::plan
