#include "flow/install_key.hpp"

#include "base/text.hpp"
#include "io/transport/key_file.hpp"
#include "io/transport/script.hpp"
#include "io/transport/ssh.hpp"

namespace drawhitch::flow {

namespace {

class GivenPassword final : public transport::SecretPrompt {
  public:
    explicit GivenPassword(const std::string& password) : password_(password) {}
    Result<std::string> ask(const Op&, const transport::SecretQuestion&) override { return password_; }

  private:
    const std::string& password_;
};

Result<std::string> public_line(const transport::SshTarget& target) {
    std::vector<std::string> files = target.identity_files;
    if (files.empty()) {
        for (const char* name : {"id_ed25519", "id_ecdsa", "id_rsa"})
            files.push_back(target.home + "/.ssh/" + name);
    }
    for (const std::string& file : files) {
        auto key = transport::load_key_file(file);
        const std::string blob = key ? key->public_blob : transport::load_public_half(file).value_or("");
        if (!blob.empty()) return transport::key_type(blob) + " " + base64(blob) + " drawhitch";
    }
    return Error{Code::key_unusable, "there is no public key to install"}
        .because("looked beside " + printable(files.front()))
        .then("ssh-keygen -t ed25519");
}

constexpr std::string_view k_script = R"sh(umask 077
mkdir -p "$HOME/.ssh" && touch "$HOME/.ssh/authorized_keys" || exit 1
IFS= read -r key
grep -qF "${key% *}" "$HOME/.ssh/authorized_keys" && exit 0
# A file whose last line lacks its end would swallow ours.
[ -z "$(tail -c 1 "$HOME/.ssh/authorized_keys")" ] || echo >>"$HOME/.ssh/authorized_keys"
printf '%s\n' "$key" >>"$HOME/.ssh/authorized_keys"
)sh";

}  // namespace

Status install_key(const Op& op, const transport::SshTarget& target, transport::HostKeyPolicy& keys,
                   const std::string& password) {
    TRY_ASSIGN(const std::string line, public_line(target));
    GivenPassword prompt(password);
    transport::SshTransport box(target, transport::SshTrust{keys, &prompt, true});
    TRY_ASSIGN(const transport::ScriptResult result, transport::run_script(op, box, k_script, line + "\n"));
    if (result.exit.clean()) return ok();
    return Error{Code::remote_failed, "the key could not be added to ~/.ssh/authorized_keys on the box"}.because(
        printable(trim(result.err)));
}

}  // namespace drawhitch::flow
