#include "io/disk/name_rules.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/random.hpp"

namespace drawhitch::disk {

namespace {

bool exists(const Root& root, const std::string& name) {
    struct stat found {};
    return ::fstatat(root.fd(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
}

int create(const Root& root, const std::string& name) {
    const UniqueFd fd(::openat(root.fd(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    return fd ? 0 : errno;
}

}  // namespace

Result<NameBehaviour> probe_names(const Root& root) {
    const std::string stem = ".drawhitch-names-" + random_hex(8) + "-";
    const std::string plain = stem + "a";
    const std::string composed = plain + "\xC3\xA9";  // e with acute accent as one letter
    const std::string decomposed = plain + "e\xCC\x81";
    std::string made = composed;
    int problem = create(root, made);
    if (problem == EILSEQ || problem == EINVAL) {
        made = plain;
        problem = create(root, made);
    }
    if (problem != 0) return errno_error(problem, "try names in", root.path());
    NameBehaviour behaviour;
    std::string upper = made;
    upper[stem.size()] = 'A';
    behaviour.ignores_case = exists(root, upper);
    behaviour.ignores_unicode_form = made == composed && exists(root, decomposed);
    if (::unlinkat(root.fd(), made.c_str(), 0) != 0) return errno_error(errno, "remove", root.path() + "/" + made);
    return behaviour;
}

}  // namespace drawhitch::disk
