#include "io/transport/ssh_auth.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "io/transport/ssh_wire.hpp"

namespace drawhitch::transport {

namespace {

constexpr int k_passphrase_attempts = 3;

// RFC 8332 flags of the agent protocol.
constexpr std::uint32_t k_sign_sha256 = 2;
constexpr std::uint32_t k_sign_sha512 = 4;

// `partial`: the key was taken, and something else is wanted beside it.
enum class Outcome { accepted, partial, refused, key_failed };

// What libssh2's signing callback needs; it hands over a pointer to this.
struct Signing {
    const Op& op;
    KeyAgent& agent;
    const std::string& blob;
    std::optional<Error> error{};
};

// The signature algorithm named in the data to be signed: string session, byte 50, strings user, service, method, byte
// 1, then the algorithm.
std::string_view algorithm_in(std::string_view data) {
    WireReader reader(data);
    std::string_view field;
    bool good = reader.text(field) && reader.skip(1);
    for (int i = 0; i < 3; ++i)
        good = good && reader.text(field);
    good = good && reader.skip(1) && reader.text(field);
    return good ? field : std::string_view{};
}

// The parameters are libssh2's.
int sign_by_agent(  // NOLINT(readability-function-size)
    LIBSSH2_SESSION* session, unsigned char** signature, size_t* size, const unsigned char* data, size_t length,
    void** abstract) {
    auto& signing = *static_cast<Signing*>(*abstract);
    const std::string_view text(reinterpret_cast<const char*>(data), length);
    const std::string_view algorithm = algorithm_in(text);
    const std::uint32_t flags = algorithm == "rsa-sha2-512"   ? k_sign_sha512
                                : algorithm == "rsa-sha2-256" ? k_sign_sha256
                                                              : 0;
    auto answer = signing.agent.sign(signing.op, signing.blob, text, flags);
    if (!answer) {
        signing.error = std::move(answer).error();
        return -1;
    }
    WireReader reader(*answer);
    std::string_view used;
    std::string_view bytes;
    if (!reader.text(used) || !reader.text(bytes)) return LIBSSH2_ERROR_AGENT_PROTOCOL;
    // An agent of old times answers with SHA-1; libssh2 then offers the key once more, under its old name.
    if (used != algorithm) return LIBSSH2_ERROR_ALGO_UNSUPPORTED;
    *signature = static_cast<unsigned char*>(SshMemory::allocate(bytes.size(), ::libssh2_session_abstract(session)));
    if (*signature == nullptr) return LIBSSH2_ERROR_ALLOC;
    std::memcpy(*signature, bytes.data(), bytes.size());
    *size = bytes.size();
    return 0;
}

class Login {
  public:
    Login(const Op& op, SshLink& link, Keyring& keys, SecretPrompt* prompt)
        : op_(op), link_(link), keys_(keys), prompt_(prompt), user_(link.target().user) {}

    Status run() {
        for (Candidate& candidate : keys_.candidates) {
            TRY_ASSIGN(const Outcome outcome, offer(candidate));
            if (outcome == Outcome::accepted) return ok();
            if (outcome == Outcome::partial) return wants_more("it took " + candidate.shown + " and asks for more");
            const bool taken = outcome == Outcome::key_failed;
            refused_.push_back(candidate.shown + (taken ? ": the server takes it, but it could not sign" : ""));
        }
        return refused();
    }

  private:
    Result<int> call(const std::function<int()>& function) {
        auto code = link_.finish(op_, SshPhase::authentication, function);
        if (!code && code.error().code == Code::auth) code.error().why += tried();
        return code;
    }

    // An RSA key signs in one of two ways, and a server need not say which it takes: libssh2 tries SHA-512 only.
    Result<Outcome> offer(Candidate& candidate) {
        const bool is_rsa = key_type(candidate.blob) == "ssh-rsa" || candidate.blob.empty();
        for (const char* algorithms : {"rsa-sha2-512,rsa-sha2-256", "rsa-sha2-256"}) {
            ::libssh2_session_method_pref(link_.session(), LIBSSH2_METHOD_SIGN_ALGO, algorithms);
            TRY_ASSIGN(const Outcome outcome, candidate.file ? offer_file(candidate) : offer_held(candidate));
            if (outcome != Outcome::refused || !is_rsa) return outcome;
        }
        return Outcome::refused;
    }

    Result<Outcome> judge(int code) {
        // libssh2 takes a partial success for a wrong signature. Only the methods that are left tell them apart.
        const bool signed_well = code == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED && said_by_server() && !link_.ended();
        if (signed_well) {
            TRY_ASSIGN(methods_, methods_left());
            if (!methods_.empty() && !lists("publickey") && (lists("keyboard-interactive") || lists("password")))
                return Outcome::partial;
        }
        if (code == 0) return Outcome::accepted;
        if (code == LIBSSH2_ERROR_AUTHENTICATION_FAILED) return Outcome::refused;
        if (link_.ended() || code == LIBSSH2_ERROR_SOCKET_DISCONNECT || code == LIBSSH2_ERROR_SOCKET_SEND)
            return ended(code);
        return Outcome::key_failed;
    }

    // libssh2 uses one code for what it could not sign and for what the server did not take.
    bool said_by_server() {
        char* text = nullptr;
        int size = 0;
        ::libssh2_session_last_error(link_.session(), &text, &size, 0);
        return text != nullptr &&
               std::string_view(text, static_cast<std::size_t>(size)).starts_with("Invalid signature");
    }

    // Whether it is one of the methods that the server named last.
    [[nodiscard]] bool lists(std::string_view method) const {
        const auto names = split(methods_, ',');
        return std::find(names.begin(), names.end(), method) != names.end();
    }

    // Empty where the server asks for nothing, or hung up.
    Result<std::string> methods_left() {
        std::string methods;
        TRY_ASSIGN(left_code_, call([&] {
                       const char* list =
                           ::libssh2_userauth_list(link_.session(), user_.c_str(), static_cast<unsigned>(user_.size()));
                       if (list != nullptr) methods = list;
                       return list != nullptr ? 0 : ::libssh2_session_last_errno(link_.session());
                   }));
        return methods;
    }

    // The server hung up on us in the middle of the login.
    Error ended(int code) {
        Error error = link_.error(SshPhase::authentication, code);
        if (error.code == Code::auth) error.why += tried();
        return error;
    }

    Result<Outcome> offer_held(const Candidate& candidate) {
        Signing signing{op_, *keys_.agent, candidate.blob, {}};
        void* abstract = &signing;
        const auto* blob = reinterpret_cast<const unsigned char*>(candidate.blob.data());
        TRY_ASSIGN(const int code, call([&] {
                       return ::libssh2_userauth_publickey(link_.session(), user_.c_str(), blob, candidate.blob.size(),
                                                           &sign_by_agent, &abstract);
                   }));
        if (signing.error && !op_.check()) return *signing.error;
        if (signing.error) keys_.passed_over.push_back(candidate.shown + ": " + signing.error->message);
        return judge(code);
    }

    Result<Outcome> offer_file(Candidate& candidate) {
        KeyFile& file = *candidate.file;
        // The first call carries no passphrase: it finds out whether the server wants this key at all before anybody is
        // asked.
        TRY_ASSIGN(Outcome outcome, offer_text(file, {}));
        if (!file.encrypted || outcome != Outcome::key_failed) return outcome;
        if (prompt_ == nullptr) {
            keys_.passed_over.push_back(candidate.shown +
                                        ": the server takes it, but it needs its passphrase (try ssh-add)");
            needs_passphrase_ = file.path;
            return Outcome::refused;
        }
        for (int attempt = 1; attempt <= k_passphrase_attempts && outcome == Outcome::key_failed; ++attempt) {
            TRY_ASSIGN(std::string passphrase,
                       prompt_->ask(op_, SecretQuestion{SecretKind::passphrase, file.path, attempt}));
            auto offered = offer_text(file, passphrase);
            wipe(passphrase);
            TRY_ASSIGN(outcome, std::move(offered));
        }
        if (outcome != Outcome::key_failed) return outcome;
        return Error{Code::key_unusable, "the passphrase does not open " + printable(file.path)};
    }

    Result<Outcome> offer_text(const KeyFile& file, const std::string& passphrase) {
        // libssh2 reads the public half as the line of a .pub file; without it, it has to decrypt the key to find out.
        const std::string line = file.public_blob.empty() ? "" : file.type + " " + base64(file.public_blob);
        TRY_ASSIGN(const int code, call([&] {
                       return ::libssh2_userauth_publickey_frommemory(
                           link_.session(), user_.c_str(), user_.size(), line.empty() ? nullptr : line.data(),
                           line.size(), file.text.data(), file.text.size(),
                           passphrase.empty() ? nullptr : passphrase.c_str());
                   }));
        return judge(code);
    }

    // Asked only now: it costs a round trip, and a login that works needs it not.
    Status refused() {
        TRY_ASSIGN(methods_, methods_left());
        if (methods_.empty() && ::libssh2_userauth_authenticated(link_.session()) != 0)
            return ok();  // it asks for nothing
        if (methods_.empty() && left_code_ != 0 && link_.ended()) return ended(left_code_);
        if (!needs_passphrase_.empty()) {
            return Error{Code::key_unusable, "the key file " + needs_passphrase_ +
                                                 " needs its passphrase, and there is no terminal to ask on"}
                .because("no ssh-agent holds this key either")
                .then("ssh-add " + shell_quote(needs_passphrase_));
        }
        return explain();
    }

    // More than keys, and nothing that another key would help with.
    Error wants_more(std::string why) {
        keys_.beyond = Beyond::person;
        return Error{Code::auth, Retry::never, link_.target().shown() + " did not let us in"}.because(
            std::move(why) + " (" + printable(methods_) +
            ": a one-time code?), which your ssh program can answer: transport = \"openssh\"");
    }

    Error wants_ticket() {
        keys_.beyond = Beyond::ticket;
        return Error{Code::auth, Retry::never, link_.target().shown() + " did not let us in"}.because(
            "it takes no key, only a Kerberos ticket (" + printable(methods_) +
            "), which your ssh program can show: transport = \"openssh\"");
    }

    Error explain() {
        const bool takes_keys = methods_.empty() || lists("publickey");
        if (!takes_keys && lists("keyboard-interactive")) return wants_more("it takes no key and asks for an answer");
        if (!takes_keys && methods_.starts_with("gssapi") && !lists("password")) return wants_ticket();
        // No other key was there to offer: this one is what stands in the way.
        if (refused_.empty() && keys_.open_to_others) return *keys_.open_to_others;
        Error error{Code::auth, Retry::never, link_.target().shown() + " did not let us in"};
        error.why = refused_.empty() ? "there is no key to offer" : "it refused " + join(refused_, ", ");
        if (!keys_.passed_over.empty()) error.why += "; not tried: " + join(keys_.passed_over, "; ");
        if (!methods_.empty()) error.why += "; it accepts: " + printable(methods_);
        if (refused_.empty() && keys_.passed_over.empty() && link_.target().identity_files.empty()) {
            error.why += "; a new one is installed with ssh-copy-id, or in the provider's console";
            error.next = "ssh-keygen -t ed25519";
            return error;
        }
        error.next = "ssh-copy-id" + public_key() + " -p " + std::to_string(link_.target().port) + " " +
                     printable(user_) + "@" + printable(link_.target().host);
        return error;
    }

    // ssh-copy-id installs what the agent holds unless the key that the user named is named to it, too.
    std::string public_key() {
        const std::vector<std::string>& named = link_.target().identity_files;
        return named.empty() ? "" : " -i " + shell_quote(named.front());
    }

    std::string tried() { return refused_.empty() ? "" : "; refused so far: " + join(refused_, ", "); }

    const Op& op_;
    SshLink& link_;
    Keyring& keys_;
    SecretPrompt* prompt_;
    const std::string& user_;
    std::vector<std::string> refused_{};
    std::string needs_passphrase_{};
    std::string methods_{};  // what the server named last, with commas
    int left_code_{0};       // libssh2's, of asking for them
};

}  // namespace

Status authenticate(const Op& op, SshLink& link, Keyring& keys, SecretPrompt* prompt) {
    return Login(op, link, keys, prompt).run();
}

namespace {

// Keyboard-interactive hands its questions to a callback with the session's `abstract`, which is the link's memory, so
// the password waits there.
void answer_questions(  // NOLINT(readability-function-size): the parameters are libssh2's
    const char*, int, const char*, int, int count, const LIBSSH2_USERAUTH_KBDINT_PROMPT* questions,
    LIBSSH2_USERAUTH_KBDINT_RESPONSE* answers, void** abstract) {
    const std::string& password = static_cast<SshMemory*>(*abstract)->password;
    // Only the one hidden question is a password; anything else (a code, a choice) stays without an answer.
    if (count != 1 || questions[0].echo != 0) return;
    answers[0].text = static_cast<char*>(SshMemory::allocate(password.size(), abstract));
    if (answers[0].text == nullptr) return;
    std::memcpy(answers[0].text, password.data(), password.size());
    answers[0].length = static_cast<unsigned>(password.size());
}

}  // namespace

Status authenticate_by_password(const Op& op, SshLink& link, SecretPrompt& prompt) {
    const SshTarget& target = link.target();
    TRY_ASSIGN(std::string password, prompt.ask(op, SecretQuestion{SecretKind::password, target.shown(), 1}));
    const auto length = [](const std::string& text) { return static_cast<unsigned>(text.size()); };
    auto code = link.finish(op, SshPhase::authentication, [&] {
        return ::libssh2_userauth_password_ex(link.session(), target.user.c_str(), length(target.user),
                                              password.c_str(), length(password), nullptr);
    });
    if (code && *code != 0 && !link.ended()) {
        link.memory().password = password;
        code = link.finish(op, SshPhase::authentication, [&] {
            return ::libssh2_userauth_keyboard_interactive_ex(link.session(), target.user.c_str(), length(target.user),
                                                              &answer_questions);
        });
        wipe(link.memory().password);
    }
    wipe(password);
    if (!code) return std::move(code).error();
    if (*code == 0) return ok();
    if (link.ended()) return link.error(SshPhase::authentication, *code);
    return Error{Code::auth, target.shown() + " did not accept the password"}.because(
        "it is wrong, or the server allows no login by password");
}

}  // namespace drawhitch::transport
