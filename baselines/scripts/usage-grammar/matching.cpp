#include "matching.hpp"

#include <algorithm>

namespace {

struct Given {
    std::string key;  // of an option; empty for a plain word
    std::string value;
    bool known = true;
};

using Left = std::vector<Given>;

class Words {
public:
    Words(const Manual& manual, const std::vector<std::string>& all) : manual(manual), all(all) {}

    Left read(bool strict) {
        while (at < all.size()) {
            const std::string& word = all[at];
            bool plain = word.size() < 2 || word[0] != '-';
            if (word == "--" || (plain && strict)) {
                for (; at < all.size(); at++) found.push_back({"", all[at]});
            } else if (plain) {
                found.push_back({"", word});
                at++;
            } else {
                at++;
                word[1] == '-' ? longOption(word) : shortOptions(word);
            }
        }
        return found;
    }

private:
    const Manual& manual;
    const std::vector<std::string>& all;
    size_t at = 0;
    Left found;

    std::string next() {
        if (at == all.size() || all[at] == "--" || all[at].empty()) throw Line("error: needs-value");
        return all[at++];
    }

    void longOption(const std::string& word) {
        size_t equals = word.find('=');
        std::string name = word.substr(0, equals);
        bool valued = equals != std::string::npos;
        const Option* option = manual.named(name);
        if (!option) {
            std::vector<const Option*> longer = manual.beginning(name);
            if (longer.size() > 1) throw Line("error: ambiguous");
            option = longer.empty() ? nullptr : longer[0];
        }
        std::string value = valued ? word.substr(equals + 1) : "";
        if (option && valued && !option->takesValue) throw Line("error: no-value");
        if (option && !valued && option->takesValue) value = next();
        found.push_back({option ? option->key() : name, value, option != nullptr});
    }

    void shortOptions(const std::string& word) {
        for (size_t place = 1; place < word.size(); place++) {
            std::string name = std::string("-") + word[place];
            const Option* option = manual.named(name);
            if (option && option->takesValue) {
                std::string rest = word.substr(place + 1);
                found.push_back({option->key(), rest.empty() ? next() : rest});
                return;
            }
            found.push_back({option ? option->key() : name, "", option != nullptr});
        }
    }
};

class Matcher {
public:
    explicit Matcher(const Manual& manual) : manual(manual) {}

    struct State {
        Left left;
        std::vector<std::pair<std::string, std::string>> taken;
    };

    bool match(const Node& node, State& state) const {
        switch (node.kind) {
            case Node::Sequence: {
                State tried = state;
                for (const Node& part : node.parts) {
                    if (!match(part, tried)) return false;
                }
                state = tried;
                return true;
            }
            case Node::Optional:
            case Node::Shortcut:
                for (const Node& part : node.parts) match(part, state);
                return true;
            case Node::Repeat: {
                bool once = false;
                for (size_t before = 0; match(node.parts[0], state); before = state.left.size()) {
                    if (once && state.left.size() == before) break;
                    once = true;
                }
                return once;
            }
            case Node::Either:
                return either(node, state);
            default:
                return leaf(node, state);
        }
    }

private:
    const Manual& manual;

    bool either(const Node& node, State& state) const {
        bool any = false;
        State best;
        for (const Node& part : node.parts) {
            State tried = state;
            if (match(part, tried) && (!any || tried.left.size() < best.left.size())) {
                any = true;
                best = tried;
            }
        }
        if (any) state = best;
        return any;
    }

    bool leaf(const Node& node, State& state) const {
        std::string wanted = node.kind == Node::Flag ? node.key : "";
        auto fits = [&](const Given& given) { return given.key == wanted && given.known; };
        auto found = std::find_if(state.left.begin(), state.left.end(), fits);
        if (found == state.left.end() || (node.kind == Node::Command && found->value != node.key)) return false;
        state.taken.emplace_back(node.key, found->value);
        state.left.erase(found);
        return true;
    }
};

Value initial(const Manual& manual, const std::string& key, Node::Kind kind) {
    const Option* option = kind == Node::Flag ? manual.withKey(key) : nullptr;
    bool many = manual.most.at(key) > 1;
    bool valued = kind == Node::Argument || (option && option->takesValue);
    Value value;
    value.kind = valued ? (many ? Value::List : Value::Nothing) : many ? Value::Count : Value::Truth;
    if (option && option->hasFallback) {
        value.list = words(option->fallback);
        value.text = option->fallback;
        value.kind = many ? Value::List : Value::Text;
    }
    return value;
}

}  // namespace

std::map<std::string, Value> meaning(const Manual& manual, const std::vector<std::string>& all, const Settings& settings) {
    Left given = Words(manual, all).read(settings.strictOrder);
    auto has = [&](const std::string& key) {
        return std::any_of(given.begin(), given.end(), [&](const Given& one) { return one.key == key; });
    };
    if (settings.help && (has("-h") || has("--help"))) throw Line("help");
    if (settings.version && has("--version")) throw Line("version");

    Matcher::State state{given, {}};
    if (!Matcher(manual).match(manual.root, state)) throw Line("error: no-match");
    if (!state.left.empty()) throw Line("error: left-over");

    std::map<std::string, Value> values;
    for (const auto& [key, kind] : manual.keys) values[key] = initial(manual, key, kind);
    std::map<std::string, bool> begun;
    for (const auto& [key, text] : state.taken) {
        Value& value = values[key];
        if (value.kind == Value::Count || value.kind == Value::Truth) {
            value.number = value.kind == Value::Count ? value.number + 1 : 1;
        } else if (value.kind == Value::List) {
            if (!begun[key]) value.list.clear();
            value.list.push_back(text);
        } else {
            value.kind = Value::Text;
            value.text = text;
        }
        begun[key] = true;
    }
    return values;
}
