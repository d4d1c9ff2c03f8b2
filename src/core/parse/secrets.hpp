// Secrets: what looks like a credential and is therefore held back from a push and named to the user, by its path or by
// the shape of its text. Whether git tracks the file does not matter. The contents themselves are never returned.
#pragma once

#include <optional>
#include <string_view>

namespace drawhitch::parse {

// How much of a file secret_content() wants to see: tokens stand at the start of configuration files.
inline constexpr std::size_t k_secret_head_bytes = 256 * 1024;

// Why a file of this path (relative, bytes) is held back whatever it contains, or nothing. Examples, templates and
// public keys are fine.
std::optional<std::string_view> secret_name(std::string_view path);

// Why this text is held back: private keys and token-shaped strings. `path` sharpens the look ("" = unknown): a run of
// 40 hex digits is a key in wandb/settings and a commit elsewhere.
std::optional<std::string_view> secret_content(std::string_view path, std::string_view head);

// True for a value that is shaped like a token.
bool secret_text(std::string_view value);
// True for the name of an environment variable that holds a credential by convention (…_TOKEN, …_API_KEY, …).
bool secret_variable(std::string_view name);

}  // namespace drawhitch::parse
