#include "core/parse/secrets.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace drawhitch::parse;

TEST_CASE("files with a secret's name are held back, examples and public keys are not") {
    const std::vector<std::string> held = {
        ".env",
        "sub/.env",
        ".env.production",
        ".ENV",
        ".env_local",
        ".dev.vars",
        ".dev.vars.staging",
        "id_ed25519",
        "id_rsa",
        "keys/id_rsa_work",
        "id_ecdsa.bak",
        "kaggle.json",
        ".netrc",
        "_netrc",
        ".aws/credentials",
        "x/.aws/credentials",
        "hf_token",
        "a/hf_token.txt",
        ".huggingface/token",
        ".cache/huggingface/token",
        "secrets.yaml",
        ".git-credentials",
        "client_secret_123.json",
        "deploy.ppk",
        ".kube/config",
        ".docker/config.json",
        ".streamlit/secrets.toml",
        ".envrc",
    };
    for (const std::string& path : held) {
        INFO(path);
        CHECK(secret_name(path).has_value());
    }
    const std::vector<std::string> fine = {
        ".env.example",
        ".env.sample",
        ".env.template",
        "id_ed25519.pub",
        "id_rsa.pub",
        "environment.yml",
        "env.py",
        "id_map.json",
        "id_rsa/../x.py",
        "kaggle.py",
        "credentials/readme",
        "config",
        "docker/config.json",
        "token",
        "tokenizer.json",
        "settings",
        "wandb/settings",
        ".environment",
        "my.env.py",
        "secrets.py",
        "huggingface_token.md",
        ".dev.vars.example",
    };
    for (const std::string& path : fine) {
        INFO(path);
        CHECK_FALSE(secret_name(path).has_value());
    }
}

TEST_CASE("token-shaped text and private keys are held back, placeholders and ordinary words are not") {
    // Put together here, so that no scanner takes this file for a leak.
    const std::string random36 = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5";
    const std::string secret40 =
        "wJa1rXUtnF/K7MDE+NGbPxRf"
        "iCYz0Lm4Nq8Rs2Tu";
    const std::string body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt";
    const std::string upper16 = "Q3ZK7P2MX9LB4TVC";
    const std::vector<std::string> held = {
        "HF_TOKEN=hf_" + random36,
        "key: \"sk-" + random36 + "aB3\"",
        "sk-ant-api03-" + random36 + "-" + random36,
        "aws_access_key_id = AKIA" + upper16,
        "ghp_" + random36,
        "github_pat_" + random36,
        "token=glpat-" + random36,
        "-----BEGIN OPENSSH PRIVATE KEY-----\n" + body,
        "x\r\n-----BEGIN RSA PRIVATE KEY-----\r\n" + body,
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" + body,
        "-----BEGIN EC PRIVATE KEY-----\n" + body,
        R"({"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\n)" + body + R"(\n-----END"})",
        "aws_secret_access_key = " + secret40,
        "AWS_SECRET_ACCESS_KEY=" + secret40 + "\n",
        "export AWS_SECRET_ACCESS_KEY='" + secret40 + "'",
        "os.environ[\"AWS_SECRET_ACCESS_KEY\"] = \"" + secret40 + "\"",
        "aws_secret_access_key: " + secret40 + " # mine",
        R"({"SecretAccessKey": ")" + secret40 + R"("})",
        "boto3.client('s3', aws_secret_access_key='" + secret40 + "')",
        "WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567",
        "WANDB_API_KEY: 'wandb_v1_" + random36 + random36 + "'",
        "machine api.wandb.ai\n  login user\n  password 0123456789abcdef0123456789abcdef01234567\n",
        "# mine\nmachine example.org login me password hunter22\n",
        "https://user:ghp_" + random36 + "@github.com/a/b",
        "OPENAI_API_KEY=" + random36,
        "db_password: \"" + random36 + "\"",
        "//registry.example/:_authToken=abc",
    };
    for (const std::string& text : held) {
        INFO(text);
        CHECK(secret_content("notes.txt", text).has_value());
    }
    const std::vector<std::string> fine = {
        "",
        "hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "hf_your_token_goes_here_and_nowhere_else",
        "export HF_TOKEN=hf_...",
        "shf_" + random36,
        "sk-learn-contrib-hdbscan-and-friends-of-it",
        "task-" + random36,
        "risk-" + random36 + random36,
        "AKIAIOSFODNN",
        "XAKIA" + upper16,
        "AKIA" + upper16 + "Q",
        "ghp_0000000000000000000000000000000000000000",
        "-----BEGIN PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\nPRIVATE KEY",
        "if '-----BEGIN PRIVATE KEY-----' in text:\n    raise ValueError('this is a key, and it belongs elsewhere')\n",
        "-----BEGIN PRIVATE KEY-----",
        "//registry.example/:_authToken=${NPM_TOKEN}",
        "text.find(\":_authToken=\")",
        R"({"access_token":"2YotnFZFEjr1zCsicMWpAA"})",
        "os.environ[\"AWS_SECRET_ACCESS_KEY\"]",
        "secret = os.environ['AWS_SECRET_ACCESS_KEY']\naws_secret_access_key=secret,\n",
        "aws_secret_access_key=os.environ.get(\"AWS_SECRET_ACCESS_KEY\", \"\")",
        "aws_secret_access_key=config.storage_credentials_v2.SecretAccessKey",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY}",
        "aws_secret_access_key = <your secret access key with 40 letters>",
        "aws_secret_access_key = xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "WANDB_API_KEY=your_key",
        "commit: 0123456789abcdef0123456789abcdef01234567",
        "revision = \"0123456789abcdef0123456789abcdef01234567\"",
        "pad_token = \"<|endoftext|>\"",
        "eos_token: \"<|im_end_of_message_Number_12|>\"",
        "token = AutoTokenizer2FromPretrainedModel3",
        "api_key = \"YOUR_API_KEY_GOES_IN_HERE_1234567890\"",
        "if token == \"" + random36 + "\":",
        "machine learning login form password strength1",
        "machine HOST login NAME password <secret123>",
        "the machine api.wandb.ai login user password abc123def456",
        "commit 0123456789abcdef0123456789abcdef01234567",
    };
    for (const std::string& text : fine) {
        INFO(text << " -> " << secret_content("notes.txt", text).value_or(""));
        CHECK_FALSE(secret_content("notes.txt", text).has_value());
    }
}

TEST_CASE("forty hex digits are a key in wandb/settings only") {
    const std::string key = "0123456789abcdef0123456789abcdef01234567";
    CHECK(secret_content("wandb/settings", "[default]\napi_key = " + key + "\n").has_value());
    CHECK(secret_content("x/wandb/settings", key).has_value());
    CHECK_FALSE(secret_content("wandb/settings", "[default]\nentity = me\n").has_value());
    CHECK_FALSE(secret_content("wandb/settings", key + "0").has_value());
    CHECK_FALSE(secret_content("mywandb/settings", key).has_value());
    CHECK_FALSE(secret_content("wandb/latest", key).has_value());
}

TEST_CASE("names of variables that hold credentials are told from those that do not") {
    for (const std::string name : {"HF_TOKEN", "TOKEN", "WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID",
                                   "db_password", "GITHUB_TOKEN"}) {
        CHECK(secret_variable(name));
    }
    for (const std::string name : {"TOKENIZERS_PARALLELISM", "MAXTOKEN", "KEY", "SEED", "PATH", ""}) {
        CHECK_FALSE(secret_variable(name));
    }
}
