// The index of a set of shards, as transformers and diffusers write it: which files the set consists of. Text in,
// values out; pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drawhitch::exchange {

// True for a name that such an index has ("model.safetensors.index.json").
bool is_shard_index(std::string_view path);

// The files that an index names, each once, relative to its own directory, sorted. Nothing where the text is no index:
// other JSON of that name, or half of one. `text` may be hostile: it is read without recursion into deep nesting.
std::optional<std::vector<std::string>> shard_files(std::string_view text);

}  // namespace drawhitch::exchange
