// Answers the cases of one suite with the pinned package.
//
// The adapter translates the task's neutral JSON to calls, the package's values to JSON and its exceptions to
// `help`, `version` and `error: WORD` lines; every value and every refusal is the package's own.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>

#define DOCOPT_HEADER_ONLY
#include <docopt/docopt.h>

#include "json.hpp"

namespace {

namespace files = std::filesystem;
using Values = std::map<std::string, docopt::value>;

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// Returns the task's word for a manual that the package refuses.
std::string manual_fault(std::string const& message) {
    if (contains(message, "not found")) return "no-usage";
    return message.rfind("More than one", 0) == 0 ? "two-usages" : "pattern";
}

/// Returns the task's word for words that the package refuses.
std::string words_fault(std::string const& message) {
    // These two come first: the second one quotes the words themselves.
    if (message == "Arguments did not match expected patterns") return "no-match";
    if (message.rfind("Unexpected argument: ", 0) == 0) return "left-over";
    if (contains(message, " is not a unique prefix: ") || contains(message, " is specified ambiguously ")) return "ambiguous";
    return contains(message, " must not have an argument") ? "no-value" : "needs-value";
}

std::string shown(docopt::value const& value) {
    if (value.isBool()) return value.asBool() ? "true" : "false";
    if (value.isLong()) return std::to_string(value.asLong());
    if (value.isString()) return json::quoted(value.asString());
    if (!value.isStringList()) return "null";
    std::string result;
    for (auto const& item : value.asStringList()) result += (result.empty() ? "" : ", ") + json::quoted(item);
    return "[" + result + "]";
}

std::string shown(Values const& values) {
    std::string result;
    for (auto const& [key, value] : values) result += (result.empty() ? "" : ", ") + json::quoted(key) + ": " + shown(value);
    return "{" + result + "}";
}

std::string number(Values const& values, std::string const& key) {
    auto const found = values.find(key);
    if (found == values.end()) return "error: no-key";
    try {
        return std::to_string(found->second.asLong());
    } catch (std::out_of_range const&) {
        return "error: out-of-range";
    } catch (std::invalid_argument const&) {
        return "error: not-a-number";
    } catch (std::runtime_error const&) {
        return "error: not-a-number";
    }
}

/// Returns the line for one list of words.
template <typename Print>
std::string line(json::Value const& input, std::vector<std::string> const& words, Print print) {
    try {
        return print(docopt::docopt_parse(input.at("manual").text, words, input.flag("help", true),
                                          input.flag("version", true), input.flag("strict_order", false)));
    } catch (docopt::DocoptLanguageError const& error) {
        return "error: " + manual_fault(error.what());
    } catch (docopt::DocoptArgumentError const& error) {
        return "error: " + words_fault(error.what());
    } catch (docopt::DocoptExitHelp const&) {
        return "help";
    } catch (docopt::DocoptExitVersion const&) {
        return "version";
    } catch (std::out_of_range const&) {
        return "error: pattern";  // The package runs past the end of a usage whose brackets stay open.
    }
}

std::string answer(json::Value const& input) {
    auto const whole = [](Values const& values) { return shown(values); };
    std::string const& op = input.at("op").text;
    if (op == "read") return line(input, input.at("words").texts(), whole);
    if (op == "number")
        return line(input, input.at("words").texts(), [&](Values const& values) { return number(values, input.at("key").text); });
    if (op != "each") throw std::runtime_error("unknown op: " + op);
    std::string result;
    for (auto const& words : input.at("lists").list) result += (result.empty() ? "" : "\n") + line(input, words.texts(), whole);
    return result;
}

/// Answers all cases of one file; a case that fails leaves the others alone.
void answer_file(files::path const& file, files::path const& target) {
    std::ifstream stream(file, std::ios::binary);
    std::string const source{std::istreambuf_iterator<char>(stream), {}};
    auto const document = json::Reader(source).read();
    std::size_t index = 0;
    for (auto const& entry : document.at("cases").list) {
        char number[24];
        std::snprintf(number, sizeof number, "@%03zu.txt", index++);
        try {
            std::string const text = answer(entry.at("input"));
            std::ofstream(target / (file.stem().string() + number), std::ios::binary) << text << "\n";
        } catch (std::exception const& error) {
            std::cerr << file.stem().string() << number << ": " << error.what() << "\n";
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    files::path const tests = "rcb_tests", target = tests / "stdout" / arguments[1];
    files::create_directories(target);
    for (auto const& entry : files::directory_iterator(tests / arguments[1]))
        if (entry.path().extension() == ".json") answer_file(entry.path(), target);
}
