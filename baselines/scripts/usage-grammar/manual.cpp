#include "manual.hpp"

#include <algorithm>
#include <sstream>

namespace {

const std::string BLANKS = " \t";

std::string lower(std::string text) {
    for (char& sign : text) {
        if (sign >= 'A' && sign <= 'Z') sign = static_cast<char>(sign - 'A' + 'a');
    }
    return text;
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
}

/// The texts of the sections with a word in their heading lines.
std::vector<std::string> sections(const std::string& manual, const std::string& word) {
    std::vector<std::string> found;
    std::vector<std::string> all = lines(manual);
    for (size_t at = 0; at < all.size(); at++) {
        if (lower(all[at]).find(word) == std::string::npos) continue;
        std::string text = all[at].substr(all[at].find(':') + 1);
        while (at + 1 < all.size() && !all[at + 1].empty() && BLANKS.find(all[at + 1][0]) != std::string::npos) {
            text += "\n" + all[++at];
        }
        found.push_back(text);
    }
    return found;
}

/// Cut a pattern into brackets, bars, dots and words; angle brackets hold blanks together.
std::vector<std::string> cut(const std::string& pattern) {
    std::vector<std::string> found;
    std::string word;
    bool angle = false;
    auto end = [&] {
        if (!word.empty()) found.push_back(word);
        word.clear();
    };
    for (size_t at = 0; at < pattern.size(); at++) {
        char sign = pattern[at];
        if (pattern.compare(at, 3, "...") == 0) {
            end();
            found.push_back("...");
            at += 2;
        } else if (angle || (sign != ' ' && std::string("[]()|").find(sign) == std::string::npos)) {
            word += sign;
            angle = sign == '<' ? pattern.find('>', at) != std::string::npos : angle && sign != '>';
            if (sign == '>') end();
        } else {
            end();
            if (sign != ' ') found.push_back(std::string(1, sign));
        }
    }
    end();
    return found;
}

bool isArgument(const std::string& token) {
    bool capitals = std::all_of(token.begin(), token.end(), [](char sign) { return sign >= 'A' && sign <= 'Z'; });
    return capitals || (token.front() == '<' && token.back() == '>');
}

}  // namespace

std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) found.push_back(word);
    return found;
}

Manual::Manual(const std::string& text) {
    long usages = 0;
    for (const std::string& line : lines(text)) usages += lower(line).find("usage:") != std::string::npos;
    if (usages != 1) throw Fault(usages ? "two-usages" : "no-usage");
    for (const std::string& section : sections(text, "options:")) declare(section);
    std::vector<std::string> declared;
    for (const Option& option : options) declared.push_back(option.key());

    std::vector<std::string> patterns;
    std::vector<std::string> usage = words(sections(text, "usage:")[0]);
    for (size_t index = 1; index < usage.size(); index++) {
        if (index == 1) patterns.push_back("");
        if (usage[index] == usage[0]) {
            patterns.push_back("");
        } else {
            patterns.back() += (patterns.back().empty() ? "" : " ") + usage[index];
        }
    }
    if (patterns.empty()) patterns.push_back("");
    for (const std::string& pattern : patterns) {
        tokens = cut(pattern);
        at = 0;
        root.parts.push_back(expression());
        if (at < tokens.size()) throw Fault("pattern");
    }
    std::vector<std::string> unmentioned;
    for (const std::string& key : declared) {
        if (!keys.count(key)) unmentioned.push_back(key);
    }
    fill(root, unmentioned);
    most = count(root);
}

void Manual::declare(const std::string& section) {
    std::string line, further;
    for (const std::string& next : lines(section)) {
        size_t start = next.find_first_not_of(BLANKS);
        if (start != std::string::npos && next[start] == '-') {
            if (!line.empty()) declareOne(line, further);
            line = next.substr(start);
            further.clear();
        } else {
            further += "\n" + next;
        }
    }
    if (!line.empty()) declareOne(line, further);
}

void Manual::declareOne(const std::string& line, const std::string& further) {
    size_t end = std::min(line.find("  "), line.size());
    std::string names = line.substr(0, end);
    std::replace_if(names.begin(), names.end(), [](char sign) { return sign == ',' || sign == '='; }, ' ');
    Option option;
    for (const std::string& part : words(names)) {
        if (part.compare(0, 2, "--") == 0) {
            option.longName = part;
        } else if (part[0] == '-') {
            option.shortName = part;
        } else {
            option.takesValue = true;
        }
    }
    for (const std::string& text : lines(line.substr(end) + further)) {
        size_t start = lower(text).find("[default: ");
        size_t close = text.rfind(']');
        if (option.takesValue && !option.hasFallback && start != std::string::npos && close != std::string::npos && close >= start + 10) {
            option.hasFallback = true;
            option.fallback = text.substr(start + 10, close - start - 10);
        }
    }
    options.push_back(option);
}

const Option* Manual::named(const std::string& name) const {
    for (const Option& option : options) {
        if (option.longName == name || option.shortName == name) return &option;
    }
    return nullptr;
}

const Option* Manual::withKey(const std::string& key) const {
    for (const Option& option : options) {
        if (option.key() == key) return &option;
    }
    return nullptr;
}

std::vector<const Option*> Manual::beginning(const std::string& name) const {
    std::vector<const Option*> found;
    for (const Option& option : options) {
        if (!option.longName.empty() && option.longName.compare(0, name.size(), name) == 0) found.push_back(&option);
    }
    return found;
}

Node Manual::expression() {
    Node either{Node::Either, "", {sequence()}};
    while (token() == "|") {
        at++;
        either.parts.push_back(sequence());
    }
    return either.parts.size() == 1 ? Node(either.parts[0]) : either;
}

Node Manual::sequence() {
    Node found{Node::Sequence, "", {}};
    while (at < tokens.size() && token() != "]" && token() != ")" && token() != "|") {
        bool stacked = token().size() > 2 && token()[0] == '-' && token()[1] != '-';
        Node part = atom();
        if (token() == "...") {
            at++;
            found.parts.push_back(Node{Node::Repeat, "", {part}});
        } else if (stacked && part.kind == Node::Sequence) {  // so many members, not one
            found.parts.insert(found.parts.end(), part.parts.begin(), part.parts.end());
        } else {
            found.parts.push_back(part);
        }
    }
    return found;
}

Node Manual::atom() {
    std::string found = tokens[at++];
    if (found == "(" || found == "[") {
        Node inside = expression();
        if (token() != (found == "(" ? ")" : "]")) throw Fault("pattern");
        at++;
        if (found == "(") return inside;
        // every member of the bracket is optional by itself, alternatives are one member
        if (inside.kind == Node::Sequence) return Node{Node::Optional, "", inside.parts};
        return Node{Node::Optional, "", {inside}};
    }
    if (found == "options") return Node{Node::Shortcut, "", {}};
    if (found.compare(0, 2, "--") == 0 && found != "--") return longOption(found);
    if (found[0] == '-' && found != "-" && found != "--") return shortOptions(found);
    Node::Kind kind = isArgument(found) ? Node::Argument : Node::Command;
    keys[found] = kind;
    return Node{kind, found, {}};
}

Node Manual::flag(const Option& option) {
    keys[option.key()] = Node::Flag;
    return Node{Node::Flag, option.key(), {}};
}

void Manual::takeValue() {
    static const std::vector<std::string> none = {"", "--", "[", "]", "(", ")", "|", "..."};
    if (std::count(none.begin(), none.end(), token())) throw Fault("pattern");
    at++;
}

Node Manual::longOption(const std::string& token) {
    size_t equals = token.find('=');
    std::string name = token.substr(0, equals);
    bool valued = equals != std::string::npos;
    const Option* known = named(name);
    if (!known) {
        Option option;
        option.longName = name;
        option.takesValue = valued;
        options.push_back(option);
        return flag(options.back());
    }
    if (valued && !known->takesValue) throw Fault("pattern");
    if (!valued && known->takesValue) takeValue();
    return flag(*known);
}

Node Manual::shortOptions(const std::string& token) {
    Node all{Node::Sequence, "", {}};
    for (size_t place = 1; place < token.size(); place++) {
        std::string name = std::string("-") + token[place];
        if (!named(name)) {
            Option option;
            option.shortName = name;
            options.push_back(option);
        }
        const Option& known = *named(name);
        all.parts.push_back(flag(known));
        if (known.takesValue) {
            if (place + 1 == token.size()) takeValue();
            break;
        }
    }
    return all.parts.size() == 1 ? Node(all.parts[0]) : all;
}

/// Put the options that the usage does not mention in place of the shortcut.
void Manual::fill(Node& node, const std::vector<std::string>& unmentioned) {
    if (node.kind == Node::Shortcut) {
        node.kind = Node::Optional;
        for (const std::string& key : unmentioned) node.parts.push_back(flag(*withKey(key)));
        return;
    }
    for (Node& part : node.parts) fill(part, unmentioned);
}

std::map<std::string, int> Manual::count(const Node& node) {
    std::map<std::string, int> found;
    if (!node.key.empty()) found[node.key] = 1;
    for (const Node& part : node.parts) {
        for (const auto& [key, times] : count(part)) {
            int& all = found[key];
            all = node.kind == Node::Either ? std::max(all, times) : std::min(2, all + times);
        }
    }
    if (node.kind == Node::Repeat) {
        for (auto& [key, times] : found) times = 2;
    }
    return found;
}
