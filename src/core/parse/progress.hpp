// Progress as jobs print it: "step 20/100", "Epoch 3/10", tqdm, Hugging Face, Lightning and Keras bars, "loss=1.93".
// Total: text that tells nothing gives an empty Progress. It reads what it is given and nothing older: a marker of an
// earlier attempt must not be in it.
#pragma once

#include <string_view>

#include "core/model/progress.hpp"

namespace drawhitch::parse {

// The last mention of each number counts. `log` is a piece of a log; when `begins_in_line` its first line may be the
// rest of a line and is left out.
model::Progress progress(std::string_view log, bool begins_in_line = false);

}  // namespace drawhitch::parse
