#include "core/plan/run_environment.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "core/plan/script_text.hpp"

namespace drawhitch::plan {

namespace {

bool is_variable_name(std::string_view name) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

// Names whose values say how a run computed and never who pays for it. An entry that ends in '_' stands for a family.
constexpr std::array<std::string_view, 24> k_harmless{
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUBLAS_WORKSPACE_CONFIG",
    "PYTHONHASHSEED",
    "PYTHONUNBUFFERED",
    "PYTHONPATH",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF",
    "OMP_",
    "MKL_",
    "OPENBLAS_",
    "NUMEXPR_",
    "NCCL_",
    "TORCH_",
    "XLA_FLAGS",
    "TF_CPP_MIN_LOG_LEVEL",
    "TOKENIZERS_PARALLELISM",
    "HF_HOME",
    "HF_HUB_OFFLINE",
    "WANDB_MODE",
    "LANG",
    "LC_ALL",
    "TZ",
};

constexpr std::array<std::string_view, 9> k_secret_words{"TOKEN",   "SECRET", "PASSWORD", "PASSWD",    "APIKEY",
                                                         "API_KEY", "_KEY",   "AUTH",     "CREDENTIAL"};

bool is_harmless(std::string_view name) {
    return std::any_of(k_harmless.begin(), k_harmless.end(), [&](std::string_view entry) {
        return entry.ends_with('_') ? name.starts_with(entry) : name == entry;
    });
}

}  // namespace

Status check_variables(const Variables& variables) {
    for (const auto& [name, value] : variables) {
        if (!is_variable_name(name)) {
            return Error{Code::usage, "\"" + printable(name) + "\" is not the name of an environment variable"};
        }
        if (value.find('\0') != std::string::npos) {
            return Error{Code::usage, "the value of " + name + " contains a NUL byte"};
        }
    }
    return ok();
}

std::string environment_text(const Variables& variables) {
    std::string text;
    for (const auto& [name, value] : variables)
        text.append("export ").append(name).append("=").append(shell_quote(value)).append("\n");
    return text;
}

bool looks_secret(std::string_view name) {
    std::string upper(name);
    for (char& c : upper) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    if (upper == "TOKENIZERS_PARALLELISM") return false;
    return std::any_of(k_secret_words.begin(), k_secret_words.end(),
                       [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

RecordedVariables recorded(const Variables& variables, const std::vector<std::string>& record) {
    RecordedVariables result;
    for (const auto& [name, value] : variables) {
        const bool asked = std::find(record.begin(), record.end(), name) != record.end();
        if ((asked || is_harmless(name)) && !looks_secret(name)) {
            result.shown.emplace(name, value);
        } else {
            result.hidden.push_back(name);
        }
    }
    return result;
}

std::string shown_function(const std::vector<std::string>& record) {
    std::vector<std::string> names{"DRAWHITCH_RUN", "DRAWHITCH_RUN_DIR", "DRAWHITCH_ATTEMPT"};
    std::vector<std::string> families;
    std::vector<std::string> secret;
    for (const std::string_view entry : k_harmless) {
        if (entry.ends_with('_'))
            families.push_back(std::string{entry} + "*");
        else
            names.emplace_back(entry);
    }
    for (const std::string& name : record)
        if (is_variable_name(name) && !looks_secret(name)) names.push_back(name);
    for (const std::string_view word : k_secret_words)
        secret.push_back("*" + std::string{word} + "*");
    return "shown() {\n    case $1 in\n        " + join(names, " | ") + ") return 0 ;;\n        " +
           join(families, " | ") +
           ") ;;\n        *) return 1 ;;\n    esac\n    case $(echo \"$1\" | tr '[:lower:]' '[:upper:]') in\n        " +
           join(secret, " | ") + ") return 1 ;;\n    esac\n}\n";
}

std::vector<std::pair<std::string, std::string>> default_variables(const RunDefaults& defaults) {
    std::vector<std::pair<std::string, std::string>> variables;
    if (defaults.unbuffered) variables.emplace_back("PYTHONUNBUFFERED", "1");
    if (defaults.nccl_errors) {
        variables.emplace_back("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
        variables.emplace_back("TORCH_NCCL_TRACE_BUFFER_SIZE", "2000");
    }
    return variables;
}

}  // namespace drawhitch::plan
