#include "core/judge/home_caches.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace drawhitch::judge {

namespace {

// Remade by the tool, or settings of shells and editors.
constexpr std::array<std::string_view, 27> k_home_places{".nv",
                                                         ".triton",
                                                         ".npm",
                                                         ".cargo",
                                                         ".rustup",
                                                         ".conda",
                                                         ".ipython",
                                                         ".jupyter",
                                                         ".vscode-server",
                                                         ".cursor-server",
                                                         ".dotnet",
                                                         ".ssh",
                                                         ".gnupg",
                                                         ".local/lib",
                                                         ".local/bin",
                                                         ".local/state",
                                                         ".local/share/jupyter",
                                                         ".bash_history",
                                                         ".zsh_history",
                                                         ".python_history",
                                                         ".lesshst",
                                                         ".viminfo",
                                                         ".wget-hsts",
                                                         ".config/matplotlib",
                                                         ".config/wandb",
                                                         ".config/pip",
                                                         ".Xauthority"};

constexpr std::string_view k_cache = ".cache/";

// Directories below ".cache" that belong to one tool, which fetches or computes all of it again.
constexpr std::array<std::string_view, 79> k_owners{"Homebrew",
                                                    "JetBrains",
                                                    "Microsoft",
                                                    "bazel",
                                                    "bazelisk",
                                                    "black",
                                                    "bpython",
                                                    "bun",
                                                    "ccache",
                                                    "clangd",
                                                    "clip",
                                                    "composer",
                                                    "conda",
                                                    "deepspeed",
                                                    "deno",
                                                    "electron",
                                                    "fish",
                                                    "flashinfer",
                                                    "fontconfig",
                                                    "gdown",
                                                    "ghcup",
                                                    "git",
                                                    "github-copilot",
                                                    "go-build",
                                                    "gopls",
                                                    "gstreamer-1.0",
                                                    "hatch",
                                                    "helm",
                                                    "jedi",
                                                    "kagglehub",
                                                    "llvm",
                                                    "mamba",
                                                    "matplotlib",
                                                    "mesa_shader_cache",
                                                    "mesa_shader_cache_db",
                                                    "micromamba",
                                                    "modelscope",
                                                    "ms-playwright",
                                                    "mypy",
                                                    "nix",
                                                    "node",
                                                    "node-gyp",
                                                    "numba",
                                                    "nv",
                                                    "nvidia",
                                                    "open-clip",
                                                    "pdm",
                                                    "pip",
                                                    "pip-tools",
                                                    "pipenv",
                                                    "pipx",
                                                    "pixi",
                                                    "pnpm",
                                                    "pre-commit",
                                                    "puppeteer",
                                                    "pylint",
                                                    "pypoetry",
                                                    "pyright-python",
                                                    "pytensor",
                                                    "rattler",
                                                    "ruff",
                                                    "sccache",
                                                    "selenium",
                                                    "starship",
                                                    "thumbnails",
                                                    "tiktoken",
                                                    "tracker3",
                                                    "triton",
                                                    "tvm-ffi",
                                                    "typescript",
                                                    "uv",
                                                    "virtualenv",
                                                    "vllm",
                                                    "vscode-cpptools",
                                                    "vscode-ripgrep",
                                                    "wandb",
                                                    "whisper",
                                                    "yapf",
                                                    "yarn"};

// Of tools whose directory holds other things, too: LeRobot records new data sets in "huggingface/lerobot".
constexpr std::array<std::string_view, 12> k_owned_parts{
    "huggingface/accelerate", "huggingface/assets",          "huggingface/datasets", "huggingface/evaluate",
    "huggingface/metrics",    "huggingface/modules",         "huggingface/xet",      "torch/hub",
    "torch/kernels",          "torch/sentence_transformers", "torch_extensions",     "torch/inductor"};
constexpr std::array<std::string_view, 4> k_cache_files{"huggingface/token", "huggingface/stored_tokens",
                                                        "motd.legal-displayed", "CACHEDIR.TAG"};
// What the hub's own library makes in "huggingface/hub".
constexpr std::array<std::string_view, 5> k_hub_starts{"models--", "datasets--", "spaces--", "kernels--", ".locks/"};
constexpr std::array<std::string_view, 2> k_hub_files{"version.txt", "CACHEDIR.TAG"};
// Our own helper and what it remembers of files, in "drawhitch".
constexpr std::array<std::string_view, 3> k_own_starts{"helper-", ".new-", "digests-"};

bool is_at_or_below(std::string_view path, std::string_view place) {
    return path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '/');
}

bool is_any_of(std::string_view path, const auto& names) {
    return std::ranges::find(names, path) != names.end();
}

bool is_below_any_of(std::string_view path, const auto& places) {
    return std::ranges::any_of(places, [path](std::string_view place) { return is_at_or_below(path, place); });
}

bool is_hub_file(std::string_view inside) {
    if (is_any_of(inside, k_hub_files)) return true;
    return std::ranges::any_of(k_hub_starts, [inside](std::string_view start) {
        const std::string_view rest = behind(inside, start);
        return start.back() == '/' ? !rest.empty() : rest.find('/') != std::string_view::npos && rest.front() != '/';
    });
}

bool is_own_helper_file(std::string_view name) {
    return std::ranges::any_of(k_own_starts, [name](std::string_view start) {
        const std::string_view rest = behind(name, start);
        return !rest.empty() && rest.find_first_not_of("0123456789abcdef.") == std::string_view::npos;
    });
}

}  // namespace

bool is_home_cache(std::string_view below) {
    if (is_below_any_of(below, k_home_places)) return true;
    const std::string_view cached = behind(below, k_cache);
    if (is_any_of(cached, k_cache_files) || is_below_any_of(cached, k_owned_parts)) return true;
    return is_below_any_of(cached, k_owners) || is_hub_file(behind(cached, "huggingface/hub/")) ||
           is_own_helper_file(behind(cached, "drawhitch/"));
}

std::vector<std::string> home_places_not_searched(std::string_view home) {
    std::vector<std::string> places{};
    const auto add = [&](const auto& names, std::string_view above) {
        for (const std::string_view name : names)
            places.push_back(std::string{home}.append("/").append(above).append(name));
    };
    add(k_home_places, "");
    add(k_owners, k_cache);
    add(k_owned_parts, k_cache);
    return places;
}

}  // namespace drawhitch::judge
