#include "json.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void add_utf8(std::string& text, unsigned code) {
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xc0 | code >> 6);
        text += static_cast<char>(0x80 | (code & 0x3f));
    } else {
        if (code < 0x10000) {
            text += static_cast<char>(0xe0 | code >> 12);
        } else {
            text += static_cast<char>(0xf0 | code >> 18);
            text += static_cast<char>(0x80 | (code >> 12 & 0x3f));
        }
        text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
        text += static_cast<char>(0x80 | (code & 0x3f));
    }
}

class Reader {
public:
    explicit Reader(const std::string& source) : source(source) {}

    Json value() {
        Json found;
        char sign = peek();
        if (sign == '{' || sign == '[') {
            found.kind = sign == '{' ? Json::Object : Json::List;
            at++;
            while (peek() != '}' && peek() != ']') {
                if (peek() == ',') {
                    at++;
                    continue;
                }
                if (sign == '[') {
                    found.list.push_back(value());
                    continue;
                }
                std::string name = string();
                peek();
                at++;
                found.fields[name] = value();
            }
            at++;
        } else if (sign == '"') {
            found.kind = Json::Text;
            found.text = string();
        } else if (std::strchr("tfn", sign)) {
            found.kind = sign == 'n' ? Json::Null : Json::Bool;
            found.truth = sign == 't';
            at += sign == 'f' ? 5 : 4;
        } else {
            char* end = nullptr;
            found.kind = Json::Number;
            found.number = std::strtod(source.c_str() + at, &end);
            at = static_cast<size_t>(end - source.c_str());
        }
        return found;
    }

private:
    const std::string& source;
    size_t at = 0;

    char peek() {
        while (at < source.size() && std::strchr(" \t\r\n", source[at])) at++;
        return source.at(at);
    }

    unsigned hex() {
        unsigned code = static_cast<unsigned>(std::stoul(source.substr(at, 4), nullptr, 16));
        at += 4;
        return code;
    }

    std::string string() {
        std::string text;
        for (at++; source.at(at) != '"';) {
            char sign = source[at++];
            if (sign != '\\') {
                text += sign;
                continue;
            }
            sign = source[at++];
            size_t known = std::string("nrtbf").find(sign);
            if (sign == 'u') {
                unsigned code = hex();
                if (code >= 0xd800 && code < 0xdc00) {
                    at += 2;
                    code = 0x10000 + ((code - 0xd800) << 10) + (hex() - 0xdc00);
                }
                add_utf8(text, code);
            } else {
                text += known == std::string::npos ? sign : "\n\r\t\b\f"[known];
            }
        }
        at++;
        return text;
    }
};

}  // namespace

Json Json::parse(const std::string& source) { return Reader(source).value(); }

const Json& Json::operator[](const std::string& name) const {
    static const Json nothing;
    auto found = fields.find(name);
    return found == fields.end() ? nothing : found->second;
}

bool Json::is(const std::string& name, bool otherwise) const {
    const Json& found = (*this)[name];
    return found.kind == Bool ? found.truth : otherwise;
}

std::vector<std::string> Json::texts() const {
    std::vector<std::string> found;
    for (const Json& item : list) found.push_back(item.text);
    return found;
}

std::string quoted(const std::string& text) {
    static const std::string signs = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
    std::string result = "\"";
    for (char sign : text) {
        size_t known = signs.find(sign);
        if (known != std::string::npos) {
            result += std::string("\\") + letters[known];
        } else if (static_cast<unsigned char>(sign) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", sign);
            result += code;
        } else {
            result += sign;
        }
    }
    return result + "\"";
}
