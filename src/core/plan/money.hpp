// Amounts of money as people read them. Pure.
#pragma once

#include <string>

namespace drawhitch::plan {

// "12.50 USD": two digits behind the point; a price is never shown in scientific notation.
std::string money(double amount, const std::string& currency);

}  // namespace drawhitch::plan
