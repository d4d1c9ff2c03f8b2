#include "core/parse/name_collisions.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace drawhitch::parse {

namespace {

// Letters with one mark, by mark: each is followed by the letter it is made of, which may itself have a mark.
struct MarkRow {
    char16_t mark{0};
    std::u16string_view pairs{};
};

constexpr std::array<MarkRow, 26> k_marks{{
    {0x0300, u"ÀAÈEÌIÒOÙUàaèeìiòoùuǛÜǜüǸNǹnЀЕЍИѐеѝиḔĒḕēṐŌṑōẀWẁwẦÂầâẰĂằăỀÊềêỒÔồôỜƠờơỪƯừưỲYỳy"},
    {0x0301,
     u"ÁAÉEÍIÓOÚUÝYáaéeíióoúuýyĆCćcĹLĺlŃNńnŔRŕrŚSśsŹZźzǗÜǘüǴGǵgΆΑΈΕΉΗΊΙΌΟΎΥΏΩΐϊάαέεήηίιΰϋόούυώωЃГЌКѓгќкḈÇḉçḖĒḗēḮÏḯïḰKḱk"
     u"ḾMḿmṌÕṍõṒŌṓōṔPṕpṸŨṹũẂWẃwẤÂấâẮĂắăẾÊếêỐÔốôỚƠớơỨƯứư"},
    {0x0302, u"ÂAÊEÎIÔOÛUâaêeîiôoûuĈCĉcĜGĝgĤHĥhĴJĵjŜSŝsŴWŵwŶYŷyẐZẑzẬẠậạỆẸệẹỘỌộọ"},
    {0x0303, u"ÃAÑNÕOãañnõoĨIĩiŨUũuṼVṽvẪÂẫâẴĂẵăẼEẽeỄÊễêỖÔỗôỠƠỡơỮƯữưỸYỹy"},
    {0x0304, u"ĀAāaĒEēeĪIīiŌOōoŪUūuǕÜǖüȪÖȫöȬÕȭõȰȮȱȯȲYȳyḠGḡgḸḶḹḷṜṚṝṛ"},
    {0x0306, u"ĂAăaĔEĕeĞGğgĬIĭiŎOŏoŬUŭuЎУЙИйиўуḜȨḝȩẶẠặạ"},
    {0x0307, u"ĊCċcĖEėeĠGġgİIŻZżzȦAȧaȮOȯoḂBḃbḊDḋdḞFḟfḢHḣhṀMṁmṄNṅnṖPṗpṘRṙrṠSṡsṤŚṥśṦŠṧšṨṢṩṣṪTṫtẆWẇwẊXẋxẎYẏy"},
    {0x0308, u"ÄAËEÏIÖOÜUäaëeïiöoüuÿyŸYΪΙΫΥϊιϋυЁЕЇІёеїіḦHḧhṎÕṏõṺŪṻūẄWẅwẌXẍxẗt"},
    {0x0309, u"ẢAảaẨÂẩâẲĂẳăẺEẻeỂÊểêỈIỉiỎOỏoỔÔổôỞƠởơỦUủuỬƯửưỶYỷy"},
    {0x030A, u"ÅAåaŮUůuẘwẙy"},
    {0x030B, u"ŐOőoŰUűu"},
    {0x030C, u"ČCčcĎDďdĚEěeĽLľlŇNňnŘRřrŠSšsŤTťtŽZžzǍAǎaǏIǐiǑOǒoǓUǔuǙÜǚüǦGǧgǨKǩkȞHȟh"},
    {0x030F, u"ȀAȁaȄEȅeȈIȉiȌOȍoȐRȑrȔUȕu"},
    {0x0311, u"ȂAȃaȆEȇeȊIȋiȎOȏoȒRȓrȖUȗu"},
    {0x031B, u"ƠOơoƯUưu"},
    {0x0323, u"ḄBḅbḌDḍdḤHḥhḲKḳkḶLḷlṂMṃmṆNṇnṚRṛrṢSṣsṬTṭtṾVṿvẈWẉwẒZẓzẠAạaẸEẹeỊIịiỌOọoỢƠợơỤUụuỰƯựưỴYỵy"},
    {0x0324, u"ṲUṳu"},
    {0x0326, u"ȘSșsȚTțt"},
    {0x0327, u"ÇCçcĢGģgĶKķkĻLļlŅNņnŖRŗrŞSşsŢTţtȨEȩeḐDḑdḨHḩh"},
    {0x0328, u"ĄAąaĘEęeĮIįiŲUųuǪOǫo"},
    {0x032D, u"ḒDḓdḘEḙeḼLḽlṊNṋnṰTṱtṶUṷu"},
    {0x032E, u"ḪHḫh"},
    {0x0330, u"ḚEḛeḬIḭiṴUṵu"},
    {0x0331, u"ḆBḇbḎDḏdḴKḵkḺLḻlṈNṉnṞRṟrṮTṯtẔZẕzẖh"},
    {0x3099,
     u"がかぎきぐくげけごこざさじしずすぜせぞそだたぢちづつでてどとばはびひぶふべへぼほゔうゞゝガカギキグクゲケゴコザサ"
     u"ジシズスゼセゾソダタヂチヅツデテドトバハビヒブフベヘボホヴウヷワヸヰヹヱヺヲヾヽ"},
    {0x309A, u"ぱはぴひぷふぺへぽほパハピヒプフペヘポホ"},
}};

constexpr std::uint32_t k_raw_byte = 0x110000;  // above all code points: bytes that are no UTF-8

// Takes one code point off the front; a byte that begins none comes back as k_raw_byte plus the byte.
std::uint32_t take(std::string_view& bytes) {
    const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
    const std::uint32_t lead = at(0);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    std::uint32_t value = lead < 0x80 ? lead : lead & (0xFFU >> (length + 1));
    bool valid = lead < 0x80 || (lead >= 0xC2 && lead < 0xF5 && bytes.size() >= length);
    for (std::size_t i = 1; valid && i < length; ++i) {
        valid = (at(i) & 0xC0U) == 0x80U;
        value = (value << 6U) | (at(i) & 0x3FU);
    }
    bytes.remove_prefix(valid ? length : 1);
    return valid ? value : k_raw_byte + lead;
}

// Two-way unique, not UTF-8: keys are only compared.
void put(std::string& key, std::uint32_t code_point) {
    for (const unsigned shift : {16U, 8U, 0U})
        key += static_cast<char>((code_point >> shift) & 0xFFU);
}

std::uint32_t fold_case(std::uint32_t c) {
    struct Row {
        std::uint32_t first{0};
        std::uint32_t last{0};
        std::uint32_t add{0};  // 0: the next code point of a pair that starts at an even (or odd) place like `first`
    };
    constexpr std::array<Row, 19> k_rows{{
        {'A', 'Z', 0x20},     {0xC0, 0xD6, 0x20},   {0xD8, 0xDE, 0x20},   {0x100, 0x12F, 0},    {0x132, 0x137, 0},
        {0x139, 0x148, 0},    {0x14A, 0x177, 0},    {0x179, 0x17E, 0},    {0x386, 0x386, 0x26}, {0x388, 0x38A, 0x25},
        {0x38C, 0x38C, 0x40}, {0x38E, 0x38F, 0x3F}, {0x391, 0x3AB, 0x20}, {0x400, 0x40F, 0x50}, {0x410, 0x42F, 0x20},
        {0x460, 0x481, 0},    {0x48A, 0x4BF, 0},    {0x1E00, 0x1E95, 0},  {0x1EA0, 0x1EFF, 0},
    }};
    if (c == 0x3C2) return 0x3C3;  // the sigma that ends words
    if (c == 0x178) return 0xFF;
    if (c == 0x17F) return 's';
    for (const Row& row : k_rows) {
        if (c < row.first || c > row.last) continue;
        if (row.add != 0) return c + row.add;
        return (c - row.first) % 2 == 0 ? c + 1 : c;
    }
    return c;
}

// Hangul syllables are arithmetic: leading consonant, vowel, trailing consonant.
void put_hangul(std::string& key, std::uint32_t c) {
    const std::uint32_t index = c - 0xAC00;
    put(key, 0x1100 + index / 588);
    put(key, 0x1161 + index % 588 / 28);
    if (index % 28 != 0) put(key, 0x11A7 + index % 28);
}

void put_decomposed(std::string& key, std::uint32_t c, bool ignores_case) {
    if (c >= 0xAC00 && c <= 0xD7A3) {
        put_hangul(key, c);
        return;
    }
    if (c >= 0xC0 && c < 0x3100) {
        for (const MarkRow& row : k_marks) {
            for (std::size_t i = 0; i + 1 < row.pairs.size(); i += 2) {
                if (row.pairs[i] != c) continue;
                put_decomposed(key, row.pairs[i + 1], ignores_case);
                put(key, row.mark);
                return;
            }
        }
    }
    put(key, ignores_case ? fold_case(c) : c);
}

// "dir/model~2.pt" for "dir/model.pt": the first number that gives a free name.
std::string free_name(std::string_view path, const std::set<std::string>& taken, const NameRules& rules) {
    const std::size_t name_at = path.rfind('/') + 1;
    const std::string_view name = path.substr(name_at);
    const std::size_t dot = name.rfind('.');
    const std::string_view stem = dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
    for (int number = 2;; ++number) {
        const std::string renamed =
            std::string(stem) + "~" + std::to_string(number) + std::string(name.substr(stem.size()));
        if (taken.count(fold_name(renamed, rules)) == 0) return std::string(path.substr(0, name_at)) + renamed;
    }
}

using Directories = std::map<std::string_view, std::set<std::string_view>>;

// directory -> the paths in it, each once; directories are members of theirs.
Directories members_of(std::span<const std::string> paths) {
    Directories directories;
    for (const std::string& path : paths) {
        std::string_view rest = path;
        for (;;) {
            const std::size_t slash = rest.rfind('/');
            const std::string_view parent =
                slash == std::string_view::npos ? std::string_view{} : rest.substr(0, slash);
            const bool is_new = directories[parent].insert(rest).second;
            if (!is_new || parent.empty()) break;
            rest = parent;
        }
    }
    return directories;
}

// The names of one directory, as they are folded together.
class Names {
  public:
    // `skip` bytes of each path are the directory.
    Names(std::size_t skip, const NameRules& rules) : skip_(skip), rules_(rules) {}

    // Each path that falls on an earlier one, behind that one.
    std::vector<std::pair<std::string_view, std::string_view>> add_all(const std::set<std::string_view>& members) {
        std::map<std::string, std::string_view> first_of;
        std::vector<std::pair<std::string_view, std::string_view>> pairs;
        for (std::string_view member : members) {
            std::string key = fold_name(member.substr(skip_), rules_);
            taken_.insert(key);
            const auto [at, is_first] = first_of.emplace(std::move(key), member);
            if (!is_first) pairs.emplace_back(at->second, member);
        }
        return pairs;
    }

    // It is taken from then on.
    std::string free_name_for(std::string_view path) {
        std::string name = free_name(path, taken_, rules_);
        taken_.insert(fold_name(std::string_view(name).substr(skip_), rules_));
        return name;
    }

  private:
    std::size_t skip_{0};
    const NameRules& rules_;
    std::set<std::string> taken_{};
};

}  // namespace

std::string fold_name(std::string_view name, const NameRules& rules) {
    std::string key;
    key.reserve(name.size() * 3);
    while (!name.empty()) {
        const std::uint32_t c = take(name);
        if (rules.ignores_unicode_form) {
            put_decomposed(key, c, rules.ignores_case);
        } else {
            put(key, rules.ignores_case ? fold_case(c) : c);
        }
    }
    return key;
}

std::vector<Collision> colliding_names(std::span<const std::string> paths, const NameRules& rules, std::size_t most) {
    std::vector<Collision> collisions;
    if (rules.exact()) return collisions;
    for (const auto& [directory, members] : members_of(paths)) {
        Names names{directory.empty() ? 0 : directory.size() + 1, rules};
        for (const auto& [first, second] : names.add_all(members)) {
            if (collisions.size() >= most) return collisions;
            collisions.push_back(Collision{std::string(first), std::string(second), names.free_name_for(second)});
        }
    }
    return collisions;
}

}  // namespace drawhitch::parse
