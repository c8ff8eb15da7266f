// As much JSON as the cases need.
#pragma once
#include <map>
#include <string>
#include <vector>

struct Json {
    enum Kind { Null, Bool, Number, Text, List, Object } kind = Null;
    bool truth = false;
    double number = 0;
    std::string text;
    std::vector<Json> list;
    std::map<std::string, Json> fields;

    static Json parse(const std::string& source);
    const Json& operator[](const std::string& name) const;
    bool is(const std::string& name, bool otherwise) const;
    std::vector<std::string> texts() const;
};

std::string quoted(const std::string& text);
