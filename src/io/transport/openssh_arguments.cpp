#include <algorithm>

#include "base/text.hpp"
#include "io/transport/openssh.hpp"

namespace drawhitch::transport {

namespace {

// Settings of the user that would let a box reach back, change what is run, or change whose key counts. Options given
// on the command line win over every file.
constexpr const char* k_settings[] = {
    // Names that older programs do not know must not stop them. It comes first: it holds for what follows.
    "IgnoreUnknown=StdinNull,ForkAfterAuthentication,SessionType,EnableEscapeCommandline,ObscureKeystrokeTiming",
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "ForwardX11=no",
    "PermitLocalCommand=no",
    "RemoteCommand=none",
    "Tunnel=no",
    "StdinNull=no",
    "ForkAfterAuthentication=no",
    "SessionType=default",
    "StrictHostKeyChecking=yes",
    "GlobalKnownHostsFile=/dev/null",
    "UpdateHostKeys=no",
    "VerifyHostKeyDNS=no",
    "NoHostAuthenticationForLocalhost=no",
    "CheckHostIP=no",
    "TCPKeepAlive=yes",
    "ServerAliveCountMax=2",
};

// The name under which the box's keys stand in our known-hosts file, whatever it is called otherwise.
constexpr const char* k_key_alias = "drawhitch-box";

bool is_word(std::string_view text, std::string_view more) {
    if (text.empty() || text.front() == '-') return false;
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               more.find(c) != std::string_view::npos;
    });
}

Status check_words(const SshTarget& target, const OpensshSetup& setup) {
    struct Word {
        const char* what;
        const std::string& text;
        bool needed;
    };
    const Word words[] = {{"host alias", setup.alias, false},
                          {"host", target.host, setup.alias.empty()},
                          {"user", target.user, setup.alias.empty()}};
    for (const Word& word : words) {
        if (word.text.empty() && !word.needed) continue;
        if (is_word(word.text, "._-:+@=")) continue;
        return Error{Code::usage,
                     "the " + std::string(word.what) + " \"" + printable(word.text) + "\" cannot be passed to ssh"}
            .because("only letters, digits and . _ - : + @ = are, and no dash in front");
    }
    return ok();
}

// File names inside -o values are split at spaces and expanded at '%'.
std::string quoted(const std::string& path) {
    std::string text = "\"";
    for (char c : path) {
        if (c == '%') text += '%';
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text += '"';
}

std::string expanded_safely(const std::string& path) {
    std::string text;
    for (char c : path) {
        if (c == '%') text += '%';
        text += c;
    }
    return text;
}

long long whole_seconds(milliseconds duration) {
    return std::max<long long>(1, duration.count() / 1000);
}

}  // namespace

Result<std::vector<std::string>> openssh_arguments(const SshTarget& target, const OpensshSetup& setup,
                                                   const OpensshFiles& files) {
    TRY(check_words(target, setup));
    std::vector<std::string> words{setup.program, "-a", "-x"};
    if (!setup.attached) words.emplace_back("-T");
    const auto option = [&](const std::string& text) {
        words.emplace_back("-o");
        words.push_back(text);
    };
    if (!setup.config_file.empty()) words.insert(words.end(), {"-F", setup.config_file});
    for (const char* setting : k_settings)
        option(setting);
    option("HostKeyAlias=" + std::string(k_key_alias));
    option("UserKnownHostsFile=" + quoted(files.known_hosts));
    option("ConnectTimeout=" + std::to_string(whole_seconds(target.limits.connect)));
    option("ServerAliveInterval=" + std::to_string(whole_seconds(target.limits.stall / 2)));
    const bool asks = setup.attached || (setup.may_ask && !files.control.empty());
    option(asks ? "BatchMode=no" : "BatchMode=yes");
    if (files.control.empty()) {
        option("ControlMaster=no");
        option("ControlPath=none");
    } else {
        option("ControlMaster=auto");
        option("ControlPath=" + quoted(files.control));
        option("ControlPersist=600");
    }
    if (!setup.attached) option("EscapeChar=none");
    // Its own words go to a file, so that stderr is the box's alone; the level tells whether an exit status came.
    words.insert(words.end(), {"-E", files.log});
    option(files.control.empty() ? "LogLevel=DEBUG1" : "LogLevel=DEBUG3");
    for (const std::string& file : target.identity_files)
        words.insert(words.end(), {"-i", expanded_safely(file)});
    if (!target.identity_files.empty()) option("IdentitiesOnly=yes");
    if (target.identity_files.empty()) {
        for (const std::string& file : setup.usual_keys)
            words.insert(words.end(), {"-i", expanded_safely(file)});
    }
    if (setup.alias.empty()) words.insert(words.end(), {"-p", std::to_string(target.port), "-l", target.user});
    words.insert(words.end(), {"--", setup.alias.empty() ? target.host : setup.alias});
    return words;
}

}  // namespace drawhitch::transport
