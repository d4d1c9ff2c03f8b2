// The program on the box: `helper NONCE` serves one client over stdin and stdout, `helper --version` says what it is.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
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
