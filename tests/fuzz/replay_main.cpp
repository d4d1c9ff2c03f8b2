// Runs a fuzz target over its corpus without libFuzzer, so that every build checks every input that was ever
// interesting. Each file is also cut short at a few places: a torn input is the commonest one in the field.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<char> read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A copy of exact size, so that the address sanitizer sees a read one byte too far.
void try_input(const char* data, std::size_t size) {
    const std::vector<std::uint8_t> copy(data, data + size);
    LLVMFuzzerTestOneInput(copy.data(), copy.size());
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t cuts = 64;
    std::size_t files = 0;
    for (int i = 1; i < argc; ++i) {
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
            const std::vector<char> input = read_file(entry.path());
            try_input(input.data(), input.size());
            const std::size_t step = std::max<std::size_t>(1, input.size() / cuts);
            for (std::size_t size = 0; size < input.size(); size += step) {
                try_input(input.data(), size);
            }
            ++files;
        }
    }
    std::printf("%zu inputs replayed\n", files);
    return files == 0 ? 1 : 0;
}
