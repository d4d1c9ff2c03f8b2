#include "core/parse/secrets.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <string>

#include "base/text.hpp"
#include "core/parse/framed.hpp"

namespace drawhitch::parse {

namespace {

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
    TokenRow{"hf_", 30, false, false, "Hugging Face token"},
    TokenRow{"sk-", 32, true, false, "API key"},
    TokenRow{"AKIA", 16, false, true, "AWS access key"},
    TokenRow{"ASIA", 16, false, true, "AWS access key"},
    TokenRow{"ghp_", 36, false, false, "GitHub token"},
    TokenRow{"gho_", 36, false, false, "GitHub token"},
    TokenRow{"ghu_", 36, false, false, "GitHub token"},
    TokenRow{"ghs_", 36, false, false, "GitHub token"},
    TokenRow{"ghr_", 36, false, false, "GitHub token"},
    TokenRow{"github_pat_", 22, false, false, "GitHub token"},
    TokenRow{"glpat-", 20, true, false, "GitLab token"},
    TokenRow{"xoxb-", 20, true, false, "Slack token"},
    TokenRow{"xoxp-", 20, true, false, "Slack token"},
    TokenRow{"AIza", 35, true, false, "Google API key"},
    TokenRow{"rpa_", 30, false, false, "RunPod key"},
    TokenRow{"r8_", 30, false, false, "Replicate token"},
    TokenRow{"wandb_v1_", 40, false, false, "Weights & Biases key"},
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

bool belongs_to(const TokenRow& row, char c) {
    if (row.upper_only) return is_upper(c) || is_digit(c);
    return is_word(c) || (row.dashes && c == '-');
}

// Words joined by dashes ("sk-learn-…") are names; keys mix cases or are full of digits.
bool is_dashed_name(std::string_view tail) {
    const auto digits = std::count_if(tail.begin(), tail.end(), is_digit);
    const bool mixed =
        std::any_of(tail.begin(), tail.end(), is_upper) && std::any_of(tail.begin(), tail.end(), is_lower);
    return digits == 0 || (!mixed && digits < 8);
}

// Whether the prefix at `at` begins a token.
bool is_token(std::string_view text, std::size_t at, const TokenRow& row) {
    if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '-')) return false;
    const std::size_t begin = at + row.prefix.size();
    std::size_t end = begin;
    while (end < text.size() && belongs_to(row, text[end]))
        ++end;
    const std::string_view tail = text.substr(begin, end - begin);
    const bool longer = tail.size() > row.least || (end < text.size() && is_word(text[end]));
    if (tail.size() < row.least || (row.upper_only && longer)) return false;
    return looks_random(tail, row.upper_only) && !(row.dashes && is_dashed_name(tail));
}

bool has_token(std::string_view text, const TokenRow& row) {
    for (std::size_t at = text.find(row.prefix); at != std::string_view::npos; at = text.find(row.prefix, at + 1)) {
        if (is_token(text, at, row)) return true;
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

bool is_base64(char c) {
    return is_digit(c) || is_upper(c) || is_lower(c) || c == '+' || c == '/';
}

std::size_t longest_base64(std::string_view text) {
    std::size_t longest = 0;
    std::size_t run = 0;
    for (const char c : text) {
        run = is_base64(c) ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

// A key's first line and a body of base64 near behind it, in a file of its own or as a string of a JSON file. Sources
// that only look for the first line are none.
bool has_private_key(std::string_view text) {
    constexpr std::string_view k_begin = "-----BEGIN ";
    constexpr std::string_view k_end = "-----";
    constexpr std::size_t k_near = 400;  // the headers of an encrypted key fit in between
    constexpr std::size_t k_body = 40;   // the shortest body's only line is longer
    for (std::size_t at = text.find(k_begin); at != std::string_view::npos; at = text.find(k_begin, at + 1)) {
        const std::string_view line = text.substr(at, std::min<std::size_t>(64, text.find('\n', at) - at));
        const std::size_t key = line.find("PRIVATE KEY");
        if (key == std::string_view::npos) continue;
        const std::size_t body = text.find(k_end, at + key);
        if (body != std::string_view::npos && longest_base64(text.substr(body, k_near)) >= k_body) return true;
    }
    return false;
}

// With a value behind it: "${NPM_TOKEN}" is none.
bool has_registry_token(std::string_view text) {
    constexpr std::string_view k_sign = ":_authToken=";
    for (std::size_t at = text.find(k_sign); at != std::string_view::npos; at = text.find(k_sign, at + 1)) {
        const std::size_t value = at + k_sign.size();
        if (value < text.size() && is_word(text[value])) return true;
    }
    return false;
}

// A value that nobody types by hand: three kinds of letters, many of them.
bool is_random_value(std::string_view value) {
    std::bitset<256> seen;
    for (const char c : value)
        seen.set(static_cast<unsigned char>(c));
    return seen.count() >= 12 && std::count_if(value.begin(), value.end(), is_digit) >= 2 &&
           std::any_of(value.begin(), value.end(), is_upper) && std::any_of(value.begin(), value.end(), is_lower) &&
           lower(value).find("example") == std::string::npos;
}

bool is_space(char c) {
    return c == ' ' || c == '\t';
}
bool is_quote(char c) {
    return c == '"' || c == '\'';
}

// `NAME = value`, `"NAME": "value"`, `environ["NAME"] = 'value'`, around the sign at `at`.
struct Assignment {
    std::string_view name{};
    std::string_view value{};
    bool quoted{false};
    bool tight{false};  // a shell's: no space around the sign
};

Assignment assignment_at(std::string_view text, std::size_t at) {
    Assignment found;
    std::size_t end = at;
    while (end > 0 && is_space(text[end - 1]))
        --end;
    found.tight = end == at;
    while (end > 0 && (text[end - 1] == ']' || is_quote(text[end - 1])))
        --end;
    std::size_t begin = end;
    while (begin > 0 && end - begin < 64 && (is_word(text[begin - 1]) || text[begin - 1] == '-'))
        --begin;
    found.name = text.substr(begin, end - begin);
    std::size_t from = at + 1;
    while (from < text.size() && is_space(text[from]))
        ++from;
    found.tight = found.tight && from == at + 1;
    found.quoted = from < text.size() && is_quote(text[from]);
    if (found.quoted) ++from;
    std::size_t to = from;
    while (to < text.size() && to - from < 300 && (is_base64(text[to]) || text[to] == '_' || text[to] == '-'))
        ++to;
    found.value = text.substr(from, to - from);
    return found;
}

// The other half of an AWS key: it has no prefix of its own, so that the name in front of it must tell.
bool is_aws_secret(const Assignment& given) {
    std::string name = lower(given.name);
    std::erase_if(name, [](char c) { return c == '_' || c == '-'; });
    return (name.ends_with("secretaccesskey") || name.ends_with("awssecretkey")) && given.value.size() == 40 &&
           is_random_value(given.value);
}

bool is_wandb_key(const Assignment& given) {
    return lower(given.name).ends_with("wandb_api_key") && given.value.size() == 40 &&
           std::all_of(given.value.begin(), given.value.end(), is_hex) && looks_random(given.value, false);
}

// Whatever a variable named like a credential is given as text. Names of code, which have no quotes, are no text.
bool is_credential(const Assignment& given) {
    return (given.quoted || given.tight) && given.value.size() >= 24 && secret_variable(given.name) &&
           is_random_value(given.value);
}

std::optional<std::string_view> assigned_secret(std::string_view text) {
    for (std::size_t at = text.find_first_of("=:"); at != std::string_view::npos;
         at = text.find_first_of("=:", at + 1)) {
        const Assignment given = assignment_at(text, at);
        if (given.name.empty() || given.value.size() < 20) continue;
        if (is_aws_secret(given)) return "AWS secret key";
        if (is_wandb_key(given)) return "Weights & Biases key";
        if (is_credential(given)) return "credential";
    }
    return std::nullopt;
}

// "machine HOST login NAME password WORD", in one line or several, as in a login file of any name.
bool has_login(std::string_view text) {
    constexpr std::string_view k_machine = "machine";
    for (std::size_t at = text.find(k_machine); at != std::string_view::npos; at = text.find(k_machine, at + 1)) {
        if (at > 0 && text[at - 1] != '\n') continue;
        const auto words = fields(text.substr(at, 400));
        if (words.size() < 6 || words[0] != k_machine || words[2] != "login" || words[4] != "password") continue;
        const std::string_view word = words[5];
        const bool placeholder = word.find_first_of("<${*") != std::string_view::npos;
        const bool host = words[1].find('.') != std::string_view::npos;
        if (host && word.size() >= 6 && !placeholder && std::any_of(word.begin(), word.end(), is_digit)) return true;
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
    if (has_registry_token(head)) return "registry token";
    if (has_login(head)) return "login file";
    if (const auto reason = assigned_secret(head)) return reason;
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
