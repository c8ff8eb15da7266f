// What words mean under a manual.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "manual.hpp"

struct Settings {
    bool help = true, version = true, strictOrder = false;
};

struct Value {
    enum Kind { Nothing, Truth, Count, Text, List } kind = Nothing;
    long long number = 0;  // also of a truth
    std::string text;
    std::vector<std::string> list;
};

/// A line that stands in place of an answer: "help", "version", or "error: ..." without its front.
struct Line : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::map<std::string, Value> meaning(const Manual& manual, const std::vector<std::string>& words, const Settings& settings);
