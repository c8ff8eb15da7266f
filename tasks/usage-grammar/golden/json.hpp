// A small JSON reader and text writer for the adapter: just what a case file holds.
#pragma once

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace json {

enum class Kind { null, boolean, number, text, list, object };

/// One JSON value; numbers keep their spelling.
struct Value {
    Kind kind = Kind::null;
    bool boolean = false;
    std::string text;
    std::vector<Value> list;
    std::map<std::string, Value> object;

    /// Returns the member of that name.
    /// @throws std::runtime_error if there is none.
    Value const& at(std::string const& name) const {
        auto found = object.find(name);
        if (found == object.end()) throw std::runtime_error("missing field: " + name);
        return found->second;
    }

    /// Returns a boolean member, or the fallback where it is missing.
    bool flag(std::string const& name, bool fallback) const {
        auto found = object.find(name);
        return found == object.end() ? fallback : found->second.boolean;
    }

    /// Returns the members of a list of texts.
    std::vector<std::string> texts() const {
        std::vector<std::string> all;
        for (auto const& item : list) all.push_back(item.text);
        return all;
    }
};

class Reader {
public:
    explicit Reader(std::string const& source) : source_(source) {}

    /// Reads the whole source as one value.
    /// @throws std::runtime_error if it is no JSON.
    Value read() {
        Value value = any();
        blanks();
        if (at_ != source_.size()) fail();
        return value;
    }

private:
    [[noreturn]] void fail() const { throw std::runtime_error("bad JSON at byte " + std::to_string(at_)); }

    void blanks() {
        while (at_ < source_.size() && std::isspace(static_cast<unsigned char>(source_[at_]))) ++at_;
    }

    char peek() {
        blanks();
        if (at_ >= source_.size()) fail();
        return source_[at_];
    }

    void take(char wanted) {
        if (peek() != wanted) fail();
        ++at_;
    }

    bool word(std::string const& wanted) {
        if (source_.compare(at_, wanted.size(), wanted) != 0) return false;
        at_ += wanted.size();
        return true;
    }

    Value any() {
        Value value;
        char const first = peek();
        if (first == '{') {
            value.kind = Kind::object;
            members(value);
        } else if (first == '[') {
            value.kind = Kind::list;
            items(value);
        } else if (first == '"') {
            value.kind = Kind::text;
            value.text = text();
        } else if (word("true") || word("false")) {
            value.kind = Kind::boolean;
            value.boolean = first == 't';
        } else if (!word("null")) {
            value.kind = Kind::number;
            while (at_ < source_.size() && (std::isalnum(static_cast<unsigned char>(source_[at_])) ||
                                            std::string("+-.").find(source_[at_]) != std::string::npos))
                value.text.push_back(source_[at_++]);
            if (value.text.empty()) fail();
        }
        return value;
    }

    void members(Value& value) {
        take('{');
        while (peek() != '}') {
            if (!value.object.empty()) take(',');
            if (peek() != '"') fail();
            std::string name = text();
            take(':');
            value.object[name] = any();
        }
        take('}');
    }

    void items(Value& value) {
        take('[');
        while (peek() != ']') {
            if (!value.list.empty()) take(',');
            value.list.push_back(any());
        }
        take(']');
    }

    std::string text() {
        take('"');
        std::string result;
        while (at_ < source_.size() && source_[at_] != '"') {
            char const next = source_[at_++];
            if (next == '\\') escape(result);
            else result.push_back(next);
        }
        if (at_ >= source_.size()) fail();
        ++at_;
        return result;
    }

    void escape(std::string& result) {
        static std::string const names = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        if (at_ >= source_.size()) fail();
        char const kind = source_[at_++];
        if (kind != 'u') {
            auto const place = names.find(kind);
            if (place == std::string::npos) fail();
            result.push_back(meanings[place]);
            return;
        }
        unsigned long code = hex();
        if (code >= 0xD800 && code < 0xDC00 && word("\\u")) code = 0x10000 + ((code - 0xD800) << 10) + (hex() - 0xDC00);
        encode(result, code);
    }

    unsigned long hex() {
        if (at_ + 4 > source_.size()) fail();
        unsigned long const code = std::strtoul(source_.substr(at_, 4).c_str(), nullptr, 16);
        at_ += 4;
        return code;
    }

    static void encode(std::string& result, unsigned long code) {
        auto const add = [&](unsigned long byte) { result.push_back(static_cast<char>(byte)); };
        auto const tail = [&](int shift) { add(0x80 | ((code >> shift) & 0x3F)); };
        if (code < 0x80) return add(code);
        if (code < 0x800) {
            add(0xC0 | (code >> 6));
        } else {
            if (code < 0x10000) {
                add(0xE0 | (code >> 12));
            } else {
                add(0xF0 | (code >> 18));
                tail(12);
            }
            tail(6);
        }
        tail(0);
    }

    std::string const& source_;
    std::size_t at_ = 0;
};

/// Returns a text as a JSON string; bytes beyond ASCII stay as they are.
inline std::string quoted(std::string const& text) {
    static std::string const meanings = "\"\\\b\f\n\r\t", names = "\"\\bfnrt";
    std::string result = "\"";
    for (char const next : text) {
        auto const place = meanings.find(next);
        if (place != std::string::npos) {
            result += {'\\', names[place]};
        } else if (static_cast<unsigned char>(next) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(next));
            result += code;
        } else {
            result.push_back(next);
        }
    }
    return result + "\"";
}

}  // namespace json
