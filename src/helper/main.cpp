// The program on the box: `helper NONCE` serves one client over stdin and stdout, `helper --version` says what it is.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "core/proto/digest.hpp"
#include "core/proto/limits.hpp"
#include "helper/server.hpp"

namespace drawhitch::helper {

namespace {

constexpr std::size_t k_build_id_digits = 16;

// The hash of the file that is running: a client that knows it knows that the whole file arrived.
std::string own_build_id() {
    const UniqueFd fd{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
    proto::Sha256 hash;
    std::string buffer(256U << 10U, '\0');
    for (;;) {
        const auto count = fd ? read_full(fd.get(), buffer, "the helper") : Result<std::size_t>(std::size_t{0});
        if (!count || *count == 0) break;
        hash.update(std::string_view(buffer).substr(0, *count));
    }
    return hash.finish().hex().substr(0, k_build_id_digits);
}

// Deep trees need a descriptor a level; the hard limit costs nothing.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

// The directory we were installed into is the user's alone; installing checks that (io/agent/install.cpp). Started from
// anywhere else, as in development, nothing is kept.
std::string cache_beside_us() {
    char path[4096];
    const ssize_t count = ::readlink("/proc/self/exe", path, sizeof path);
    if (count <= 0 || static_cast<std::size_t>(count) == sizeof path) return {};
    const std::string own(path, static_cast<std::size_t>(count));
    const std::string directory = own.substr(0, own.rfind('/'));
    struct stat info {};
    const bool installed = own.find("/helper-") == directory.size();
    if (!installed || ::stat(directory.c_str(), &info) != 0) return {};
    const bool ours_alone = info.st_uid == ::geteuid() && (info.st_mode & 0022U) == 0;
    return ours_alone ? directory + "/digests-2" : std::string{};
}

int print_version() {
    std::printf("drawhitch-helper %s %s %s\n", DRAWHITCH_VERSION, own_build_id().c_str(), architecture());
    return 0;
}

int serve(std::string_view nonce) {
    // Both end as error codes of the call that caused them.
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);
    // A terminal that closes must not end us in mid-write; end of input does.
    ::signal(SIGHUP, SIG_IGN);
    raise_descriptor_limit();
    ServerOptions options;
    options.nonce = nonce;
    options.build_id = own_build_id();
    options.cache_path = cache_beside_us();
    Server server(STDIN_FILENO, STDOUT_FILENO, std::move(options), system_clock());
    return static_cast<int>(server.run());
}

}  // namespace

}  // namespace drawhitch::helper

int main(int argc, char** argv) {
    const std::string_view word = argc == 2 ? argv[1] : "";
    if (word == "--version") return drawhitch::helper::print_version();
    const std::string nonce = drawhitch::unhex(word);
    if (nonce.size() != drawhitch::proto::k_nonce_size) {
        std::fputs("drawhitch-helper is started by drawhitch, not by hand\n", stderr);
        return 2;
    }
    return drawhitch::helper::serve(nonce);
}
