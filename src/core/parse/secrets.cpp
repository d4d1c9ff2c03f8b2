#include "core/parse/secrets.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <string>

#include "base/text.hpp"

namespace drawhitch::parse {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_word(char c) {
    return is_digit(c) || is_upper(c) || is_lower(c) || c == '_';
}
bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

std::string lower(std::string_view text) {
    std::string lowered(text);
    for (char& c : lowered) {
        if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
    }
    return lowered;
}

template <std::size_t N>
bool any_of(const std::array<std::string_view, N>& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

// A file that shows which settings exist, without values.
bool is_example(std::string_view name) {
    constexpr std::array<std::string_view, 7> k_ends = {".example", ".sample",   ".template", ".dist",
                                                        ".schema",  ".defaults", ".pub"};
    return std::any_of(k_ends.begin(), k_ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

// `name`, or `name` with something behind a dot, dash or underscore ("id_rsa.bak", ".env.production").
bool is_or_extends(std::string_view name, std::string_view stem) {
    if (!name.starts_with(stem)) return false;
    if (name.size() == stem.size()) return true;
    const char next = name[stem.size()];
    return next == '.' || next == '-' || next == '_';
}

struct NameRow {
    std::string_view name{};
    std::string_view reason{};
};

constexpr std::array k_stems = {
    NameRow{".env", "environment file"},
    NameRow{".dev.vars", "environment file"},
    NameRow{"id_rsa", "SSH private key"},
    NameRow{"id_dsa", "SSH private key"},
    NameRow{"id_ecdsa", "SSH private key"},
    NameRow{"id_ed25519", "SSH private key"},
    NameRow{"kaggle.json", "Kaggle credentials"},
    NameRow{".netrc", "login file"},
    NameRow{"_netrc", "login file"},
};

constexpr std::array k_names = {
    NameRow{".envrc", "environment file"},
    NameRow{".pgpass", "login file"},
    NameRow{".git-credentials", "login file"},
    NameRow{".pypirc", "login file"},
    NameRow{".htpasswd", "login file"},
    NameRow{"credentials.json", "credentials"},
    NameRow{"application_default_credentials.json", "credentials"},
    NameRow{"service_account.json", "credentials"},
    NameRow{"service-account.json", "credentials"},
    NameRow{"secrets.toml", "secrets file"},
    NameRow{"secrets.json", "secrets file"},
    NameRow{"secrets.yaml", "secrets file"},
    NameRow{"secrets.yml", "secrets file"},
    NameRow{"secrets.env", "secrets file"},
    NameRow{"hf_token", "Hugging Face token"},
    NameRow{"hf_token.txt", "Hugging Face token"},
    NameRow{".hf_token", "Hugging Face token"},
    NameRow{".vast_api_key", "provider key"},
    NameRow{"vast_api_key", "provider key"},
};

// Directory and name together.
constexpr std::array k_tails = {
    NameRow{".aws/credentials", "AWS credentials"},      NameRow{".docker/config.json", "registry logins"},
    NameRow{".kube/config", "Kubernetes credentials"},   NameRow{"huggingface/token", "Hugging Face token"},
    NameRow{".huggingface/token", "Hugging Face token"}, NameRow{"huggingface/stored_tokens", "Hugging Face token"},
    NameRow{".runpod/config.toml", "provider key"},
};

constexpr std::array k_ends = {
    NameRow{".ppk", "SSH private key"}, NameRow{".p12", "key store"},  NameRow{".pfx", "key store"},
    NameRow{".jks", "key store"},       NameRow{".kdbx", "key store"}, NameRow{".keystore", "key store"},
};

// A token: a prefix nobody types by accident, and a tail of so many letters of its alphabet.
struct TokenRow {
    std::string_view prefix{};
    std::size_t least{0};
    bool dashes{false};      // '-' belongs to the alphabet
    bool upper_only{false};  // upper case and digits only, and exactly `least` of them
    std::string_view reason{};
};

constexpr std::array k_tokens = {
    TokenRow{"hf_", 30, false, false, "Hugging Face token"}, TokenRow{"sk-", 32, true, false, "API key"},
    TokenRow{"AKIA", 16, false, true, "AWS access key"},     TokenRow{"ASIA", 16, false, true, "AWS access key"},
    TokenRow{"ghp_", 36, false, false, "GitHub token"},      TokenRow{"gho_", 36, false, false, "GitHub token"},
    TokenRow{"ghu_", 36, false, false, "GitHub token"},      TokenRow{"ghs_", 36, false, false, "GitHub token"},
    TokenRow{"ghr_", 36, false, false, "GitHub token"},      TokenRow{"github_pat_", 22, false, false, "GitHub token"},
    TokenRow{"glpat-", 20, true, false, "GitLab token"},     TokenRow{"xoxb-", 20, true, false, "Slack token"},
    TokenRow{"xoxp-", 20, true, false, "Slack token"},       TokenRow{"AIza", 35, true, false, "Google API key"},
    TokenRow{"rpa_", 30, false, false, "RunPod key"},        TokenRow{"r8_", 30, false, false, "Replicate token"},
};

// Random text mixes its letters; "xxxxxxxx", "your_token_here" and long dashed words do not.
bool looks_random(std::string_view tail, bool upper_only) {
    std::bitset<256> seen;
    for (char c : tail)
        seen.set(static_cast<unsigned char>(c));
    const bool digit = std::any_of(tail.begin(), tail.end(), is_digit);
    const bool upper = std::any_of(tail.begin(), tail.end(), is_upper);
    const bool lower_case = std::any_of(tail.begin(), tail.end(), is_lower);
    return seen.count() >= 8 && (upper_only || (digit && (upper || lower_case)) || (upper && lower_case));
}

bool has_token(std::string_view text, const TokenRow& row) {
    for (std::size_t at = text.find(row.prefix); at != std::string_view::npos; at = text.find(row.prefix, at + 1)) {
        if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '-')) continue;
        std::size_t end = at + row.prefix.size();
        const auto belongs = [&](char c) {
            if (row.upper_only) return is_upper(c) || is_digit(c);
            return is_word(c) || (row.dashes && c == '-');
        };
        while (end < text.size() && belongs(text[end]))
            ++end;
        const std::string_view tail = text.substr(at + row.prefix.size(), end - at - row.prefix.size());
        const bool longer = tail.size() > row.least || (end < text.size() && is_word(text[end]));
        if (tail.size() < row.least || (row.upper_only && longer) || !looks_random(tail, row.upper_only)) continue;
        // Words joined by dashes ("sk-learn-…") are names; keys mix cases or are full of digits.
        const auto digits = std::count_if(tail.begin(), tail.end(), is_digit);
        const bool mixed =
            std::any_of(tail.begin(), tail.end(), is_upper) && std::any_of(tail.begin(), tail.end(), is_lower);
        if (!row.dashes || (digits > 0 && (mixed || digits >= 8))) return true;
    }
    return false;
}

// True when exactly `length` hex digits stand somewhere between other bytes.
bool has_hex_run(std::string_view text, std::size_t length) {
    std::size_t run = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && is_hex(text[i])) {
            ++run;
            continue;
        }
        const bool bounded = i == text.size() || !is_word(text[i]);
        if (run == length && bounded && (i == length || !is_word(text[i - length - 1]))) return true;
        run = 0;
    }
    return false;
}

bool has_private_key(std::string_view text) {
    constexpr std::string_view k_begin = "-----BEGIN ";
    for (std::size_t at = text.find(k_begin); at != std::string_view::npos; at = text.find(k_begin, at + 1)) {
        const std::string_view line = text.substr(at, std::min<std::size_t>(64, text.find('\n', at) - at));
        if (line.find("PRIVATE KEY") != std::string_view::npos) return true;
    }
    return false;
}

}  // namespace

std::optional<std::string_view> secret_name(std::string_view path) {
    const std::string whole = lower(path);
    const std::string_view name = std::string_view(whole).substr(whole.rfind('/') + 1);
    if (is_example(name)) return std::nullopt;
    for (const NameRow& row : k_stems) {
        if (is_or_extends(name, row.name)) return row.reason;
    }
    for (const NameRow& row : k_names) {
        if (name == row.name) return row.reason;
    }
    for (const NameRow& row : k_tails) {
        const bool at_start = whole.size() == row.name.size();
        const bool inside = whole.size() > row.name.size() && whole[whole.size() - row.name.size() - 1] == '/';
        if ((at_start || inside) && whole.ends_with(row.name)) return row.reason;
    }
    for (const NameRow& row : k_ends) {
        if (name.ends_with(row.name)) return row.reason;
    }
    if (name.starts_with("client_secret") && name.ends_with(".json")) return "credentials";
    return std::nullopt;
}

std::optional<std::string_view> secret_content(std::string_view path, std::string_view head) {
    if (has_private_key(head)) return "private key";
    for (const TokenRow& row : k_tokens) {
        if (has_token(head, row)) return row.reason;
    }
    if (head.find(":_authToken=") != std::string_view::npos) return "registry token";
    const bool of_wandb = path == "wandb/settings" || path.ends_with("/wandb/settings");
    if (of_wandb && has_hex_run(head, 40)) return "Weights & Biases key";
    return std::nullopt;
}

bool secret_text(std::string_view value) {
    return secret_content({}, value).has_value();
}

bool secret_variable(std::string_view name) {
    constexpr std::array<std::string_view, 10> k_words = {"TOKEN",      "SECRET",       "PASSWORD",    "PASSWD",
                                                          "API_KEY",    "ACCESS_KEY",   "PRIVATE_KEY", "CREDENTIALS",
                                                          "SECRET_KEY", "ACCESS_KEY_ID"};
    std::string upper_name(name);
    for (char& c : upper_name) {
        if (is_lower(c)) c = static_cast<char>(c - 'a' + 'A');
    }
    return std::any_of(k_words.begin(), k_words.end(), [&](std::string_view word) {
        if (!upper_name.ends_with(word)) return false;
        return upper_name.size() == word.size() || upper_name[upper_name.size() - word.size() - 1] == '_';
    });
}

}  // namespace drawhitch::parse
