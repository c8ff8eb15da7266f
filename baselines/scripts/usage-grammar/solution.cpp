// Answers every case of a suite.
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "json.hpp"
#include "matching.hpp"

namespace fs = std::filesystem;

std::string printed(const Value& value) {
    switch (value.kind) {
        case Value::Nothing:
            return "null";
        case Value::Truth:
            return value.number ? "true" : "false";
        case Value::Count:
            return std::to_string(value.number);
        case Value::Text:
            return quoted(value.text);
        default: {
            std::string text;
            for (const std::string& item : value.list) text += (text.empty() ? "" : ", ") + quoted(item);
            return "[" + text + "]";
        }
    }
}

std::string whole(const Value& value) {
    if (value.kind == Value::Count) return std::to_string(value.number);
    size_t start = value.text.find_first_not_of(" \t");
    if (value.kind != Value::Text || start == std::string::npos) return "error: not-a-number";
    std::string digits = value.text.substr(start + (value.text[start] == '+' || value.text[start] == '-'));
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return "error: not-a-number";
    errno = 0;
    long long number = std::strtoll(value.text.c_str() + start, nullptr, 10);
    return errno == ERANGE ? "error: out-of-range" : std::to_string(number);
}

std::string meant(const Manual& manual, const std::vector<std::string>& given, const Settings& settings, const Json& key) {
    std::map<std::string, Value> values;
    try {
        values = meaning(manual, given, settings);
    } catch (const Line& line) {
        return line.what();
    }
    if (key.kind == Json::Text) {
        return values.count(key.text) ? whole(values[key.text]) : "error: no-key";
    }
    std::string text;
    for (const auto& [name, value] : values) text += (text.empty() ? "" : ", ") + quoted(name) + ": " + printed(value);
    return "{" + text + "}";
}

std::string answer(const Json& input) {
    Settings settings{input.is("help", true), input.is("version", true), input.is("strict_order", false)};
    std::vector<std::vector<std::string>> lists;
    if (input["op"].text == "each") {
        for (const Json& list : input["lists"].list) lists.push_back(list.texts());
    } else {
        lists.push_back(input["words"].texts());
    }
    std::unique_ptr<Manual> manual;
    std::string fault;
    try {
        manual = std::make_unique<Manual>(input["manual"].text);
    } catch (const Fault& found) {
        fault = std::string("error: ") + found.what();
    }
    std::string text;
    const Json key = input["op"].text == "number" ? input["key"] : Json();
    for (const auto& list : lists) text += (manual ? meant(*manual, list, settings, key) : fault) + "\n";
    return text;
}

int main(int count, char** arguments) {
    std::string suite = arguments[count - 1];
    fs::path out = fs::path("rcb_tests/stdout") / suite;
    fs::create_directories(out);
    for (const auto& entry : fs::directory_iterator(fs::path("rcb_tests") / suite)) {
        if (entry.path().extension() != ".json") continue;
        std::ostringstream source;
        source << std::ifstream(entry.path()).rdbuf();
        std::string document = source.str();
        Json group = Json::parse(document);
        int index = 0;
        for (const Json& item : group["cases"].list) {
            char number[16];
            std::snprintf(number, sizeof number, "@%03d.txt", index++);
            std::ofstream(out / (entry.path().stem().string() + number)) << answer(item["input"]);
        }
    }
}
