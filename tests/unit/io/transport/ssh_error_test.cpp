#include "io/transport/ssh_error.hpp"

#include <libssh2.h>
#include <netdb.h>

#include <catch2/catch_test_macros.hpp>
#include <cerrno>

namespace drawhitch::transport {

namespace {

SshTarget box() {
    SshTarget target;
    target.host = "203.0.113.7";
    target.user = "root";
    return target;
}

// Each error names its target or its file, and says something.
void check_shape(const Error& error) {
    CHECK_FALSE(error.message.empty());
    CHECK(error.message.find('\n') == std::string::npos);
    CHECK(error.message.back() != '.');
}

}  // namespace

TEST_CASE("failures of names and TCP have their classes") {
    struct Row {
        Error error;
        Code code;
    };
    for (const Row& row :
         {Row{resolver_error(EAI_NONAME, "x.invalid"), Code::dns}, Row{resolver_error(EAI_AGAIN, "x"), Code::dns},
          Row{connect_error(ECONNREFUSED, box()), Code::refused},
          Row{connect_error(ETIMEDOUT, box()), Code::connect_timeout},
          Row{connect_error(EHOSTUNREACH, box()), Code::connect_timeout},
          Row{connect_error(ENETUNREACH, box()), Code::connect_timeout},
          Row{connect_error(EACCES, box()), Code::permission},
          Row{connect_error(EINVAL, box()), Code::connect_timeout}}) {
        CAPTURE(row.error.message);
        CHECK(row.error.code == row.code);
        check_shape(row.error);
    }
    CHECK(resolver_error(EAI_NONAME, "x").retry == Retry::never);
    CHECK(resolver_error(EAI_AGAIN, "x").retry == Retry::after_wait);
}

TEST_CASE("libssh2's codes have their classes, by the phase they come in") {
    struct Row {
        SshTrouble trouble;
        Code code;
    };
    const Row rows[] = {
        {{.phase = SshPhase::greeting, .greeting = "HTTP/1.0 400\r\n"}, Code::no_banner},
        {{.phase = SshPhase::greeting, .closed = true}, Code::no_banner},
        {{.phase = SshPhase::greeting, .greeting = "Exceeded MaxStartups\r\n", .closed = true}, Code::limits},
        {{.phase = SshPhase::greeting, .greeting = "Not allowed at this time\r\n", .closed = true}, Code::limits},
        {{.phase = SshPhase::handshake, .code = LIBSSH2_ERROR_KEX_FAILURE}, Code::protocol},
        {{.phase = SshPhase::handshake, .code = LIBSSH2_ERROR_METHOD_NONE}, Code::protocol},
        {{.phase = SshPhase::handshake, .code = LIBSSH2_ERROR_HOSTKEY_SIGN}, Code::host_key},
        {{.phase = SshPhase::handshake, .code = LIBSSH2_ERROR_HOSTKEY_INIT}, Code::host_key},
        {{.phase = SshPhase::handshake, .closed = true}, Code::no_banner},
        {{.phase = SshPhase::authentication, .farewell = "Too many authentication failures"}, Code::auth},
        {{.phase = SshPhase::authentication, .closed = true}, Code::link_lost},
        {{.phase = SshPhase::authentication, .socket_error = ECONNRESET}, Code::link_lost},
        {{.phase = SshPhase::opening, .code = LIBSSH2_ERROR_CHANNEL_FAILURE}, Code::limits},
        {{.phase = SshPhase::opening, .code = LIBSSH2_ERROR_CHANNEL_REQUEST_DENIED}, Code::shell_missing},
        {{.phase = SshPhase::opening, .closed = true}, Code::link_lost},
        {{.phase = SshPhase::running, .code = LIBSSH2_ERROR_DECRYPT}, Code::link_lost},
        {{.phase = SshPhase::running, .socket_error = ETIMEDOUT}, Code::link_lost},
    };
    for (const Row& row : rows) {
        const Error error = ssh_error(row.trouble, box());
        CAPTURE(error.message);
        CHECK(error.code == row.code);
        check_shape(error);
        CHECK(error.message.find("203.0.113.7") != std::string::npos);
    }
    CHECK(ssh_error({.phase = SshPhase::authentication, .farewell = "Too many authentication failures"}, box()).why ==
          "the server says: Too many authentication failures");
}

TEST_CASE("the words of the ssh program have their classes") {
    struct Row {
        const char* says;
        Code code;
    };
    const Row rows[] = {
        {"ssh: Could not resolve hostname nobox: Name or service not known\r\n", Code::dns},
        {"ssh: connect to host 127.0.0.1 port 1: Connection refused\r\n", Code::refused},
        {"ssh: connect to host 203.0.113.7 port 22: Connection timed out\r\n", Code::connect_timeout},
        {"ssh: connect to host 203.0.113.7 port 22: Operation timed out\r\n", Code::connect_timeout},
        {"ssh: connect to host 203.0.113.7 port 22: No route to host\r\n", Code::connect_timeout},
        {"Connection timed out during banner exchange\r\nConnection to 203.0.113.7 port 22 timed out\r\n",
         Code::no_banner},
        {"kex_exchange_identification: Connection closed by remote host\r\nConnection closed by 203.0.113.7 port "
         "22\r\n",
         Code::no_banner},
        {"kex_exchange_identification: read: Connection reset by peer\r\n", Code::no_banner},
        {"kex_exchange_identification: banner line contains invalid characters\r\n", Code::no_banner},
        {"@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\nHost key verification failed.\r\n",
         Code::host_key},
        {"No ED25519 host key is known for drawhitch-box and you have requested strict checking.\r\nHost key "
         "verification failed.\r\n",
         Code::host_key},
        {"root@203.0.113.7: Permission denied (publickey).\r\n", Code::auth},
        {"Received disconnect from 203.0.113.7 port 22:2: Too many authentication failures\r\n", Code::auth},
        {"@         WARNING: UNPROTECTED PRIVATE KEY FILE!          @\r\nroot@h: Permission denied (publickey).\r\n",
         Code::key_permissions},
        {"Bad owner or permissions on /home/u/.ssh/config\r\n", Code::key_permissions},
        {"Load key \"/k\": invalid format\r\nroot@h: Permission denied (publickey).\r\n", Code::key_unusable},
        {"Unable to negotiate with 203.0.113.7 port 22: no matching host key type found. Their offer: ssh-dss\r\n",
         Code::protocol},
        {"channel 0: open failed: administratively prohibited: open failed\r\n", Code::limits},
        {"mux_client_request_session: session request failed: Session open refused by peer\r\n", Code::limits},
        {"Timeout, server 203.0.113.7 not responding.\r\n", Code::stalled},
        {"client_loop: send disconnect: Broken pipe\r\n", Code::link_lost},
        {"Connection to 203.0.113.7 closed by remote host.\r\n", Code::link_lost},
        {"", Code::link_lost},
        {"something nobody has seen before\r\n", Code::link_lost},
    };
    for (const Row& row : rows) {
        const Error error = openssh_error(row.says, box());
        CAPTURE(row.says, error.message, error.why);
        CHECK(error.code == row.code);
        check_shape(error);
        CHECK_FALSE(error.why.empty());
    }
}

TEST_CASE("what only a person can answer is told from a key that was refused") {
    CHECK(wants_person("root@h: Permission denied (keyboard-interactive).\r\n"));
    CHECK(wants_person("Permission denied (gssapi-with-mic,password)."));
    CHECK_FALSE(wants_person("root@h: Permission denied (publickey,keyboard-interactive)."));
    CHECK_FALSE(wants_person("root@h: Permission denied (publickey)."));
    CHECK_FALSE(wants_person("root@h: Permission denied (gssapi-with-mic)."));
    CHECK_FALSE(wants_person("Permission denied, please try again."));
    CHECK_FALSE(wants_person("Permission denied ("));
}

TEST_CASE("what a hostile server says cannot move the cursor") {
    const Error error = ssh_error({.phase = SshPhase::greeting, .greeting = "\x1B[2J\x1B]0;x\x07 hi\r\n"}, box());
    CHECK(error.message.find('\x1B') == std::string::npos);
    // What ssh counts at its end is no reason.
    const char* counted =
        "debug1: channel 0: free\r\nmux: lost it\r\nTransferred: sent 2, received 2 bytes\r\n"
        "Bytes per second: sent 1.0, received 2.0\r\ndebug1: Exit status -1\r\n";
    CHECK(openssh_error(counted, box()).why == "ssh says: mux: lost it");
    CHECK(openssh_error("Bytes per second: sent 1.0, received 2.0\r\n", box()).why == "it gave no reason");
    CHECK(openssh_error("\x1B[31mPermission denied\r\n", box()).why.find('\x1B') == std::string::npos);
}

}  // namespace drawhitch::transport
