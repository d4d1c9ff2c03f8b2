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
    const std::string upper16 = "Q3ZK7P2MX9LB4TVC";
    const std::vector<std::string> held = {
        "HF_TOKEN=hf_" + random36,
        "key: \"sk-" + random36 + "aB3\"",
        "sk-ant-api03-" + random36 + "-" + random36,
        "aws_access_key_id = AKIA" + upper16,
        "ghp_" + random36,
        "github_pat_" + random36,
        "token=glpat-" + random36,
        "-----BEGIN OPENSSH PRIVATE KEY-----\nabc",
        "x\n-----BEGIN RSA PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----",
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
        "commit 0123456789abcdef0123456789abcdef01234567",
    };
    for (const std::string& text : fine) {
        INFO(text);
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
