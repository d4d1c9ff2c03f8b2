// Any path and any text: the search ends, and a key that is in the text is found whatever surrounds it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/parse/secrets.hpp"

using namespace drawhitch;

// The first line is the path, the rest the file's beginning.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const std::string_view path = text.substr(0, text.find('\n'));
    const std::string_view head = text.substr(std::min(size, path.size() + 1)).substr(0, parse::k_secret_head_bytes);
    (void)parse::secret_name(path);
    (void)parse::secret_text(head);
    (void)parse::secret_variable(path);
    const auto found = parse::secret_content(path, head);
    if (found && found->empty()) std::abort();
    const std::string with_key =
        std::string{head} +
        "\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz\n";
    const bool is_text = head.find('\0') == std::string_view::npos;
    if (is_text && with_key.size() <= parse::k_secret_head_bytes && !parse::secret_content("", with_key)) std::abort();
    return 0;
}
