// The words of a profile's and a project's enumerations, as the TOML files spell them, both ways.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "core/model/profile.hpp"
#include "core/model/project.hpp"

namespace drawhitch::model {

template <class E>
struct Word {
    E value{};
    std::string_view text{};
};

// All words of one enumeration, in the order they are documented. Specialised in words.cpp.
template <class E>
std::span<const Word<E>> words();

template <class E>
std::string_view word_of(E value) {
    for (const Word<E>& word : words<E>()) {
        if (word.value == value) return word.text;
    }
    return "?";
}

template <class E>
std::optional<E> value_of(std::string_view text) {
    for (const Word<E>& word : words<E>()) {
        if (word.text == text) return word.value;
    }
    return std::nullopt;
}

template <>
std::span<const Word<TransportKind>> words();
template <>
std::span<const Word<PlatformKind>> words();
template <>
std::span<const Word<Confidence>> words();
template <>
std::span<const Word<Verb>> words();
template <>
std::span<const Word<Downtime>> words();
template <>
std::span<const Word<StorageRole>> words();
template <>
std::span<const Word<StorageScope>> words();
template <>
std::span<const Word<Meter>> words();
template <>
std::span<const Word<RestartRisk>> words();
template <>
std::span<const Word<ClockStart>> words();
template <>
std::span<const Word<ClockEffectKind>> words();
template <>
std::span<const Word<SpotOutcome>> words();
template <>
std::span<const Word<DetachDriver>> words();
template <>
std::span<const Word<CudaSource>> words();
template <>
std::span<const Word<GotchaWhen>> words();
template <>
std::span<const Word<GotchaAct>> words();
template <>
std::span<const Word<OutsideLinks>> words();
template <>
std::span<const Word<SpecialFiles>> words();
template <>
std::span<const Word<Color>> words();

}  // namespace drawhitch::model
