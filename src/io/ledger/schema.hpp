// The texts of schema.sql and of the migrations, embedded at build time.
#pragma once

#include <span>
#include <string_view>

namespace drawhitch::ledger {

// PRAGMA user_version of a ledger made by this program.
inline constexpr int k_schema_version = 4;
// PRAGMA application_id: "dhit", so that another program's database is recognised as such.
inline constexpr int k_application_id = 0x64686974;

extern const std::string_view k_schema;
// k_migrations[n] leads from version n + 1 to version n + 2.
extern const std::span<const std::string_view> k_migrations;

}  // namespace drawhitch::ledger
