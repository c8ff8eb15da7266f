// A manual: the options it declares, and the tree of its patterns.
#pragma once
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Fault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Option {
    std::string shortName, longName, fallback;
    bool takesValue = false, hasFallback = false;

    const std::string& key() const { return longName.empty() ? shortName : longName; }
};

struct Node {
    enum Kind { Sequence, Optional, Either, Repeat, Argument, Command, Flag, Shortcut } kind;
    std::string key;  // of arguments, commands and options
    std::vector<Node> parts;
};

class Manual {
public:
    explicit Manual(const std::string& text);

    const Option* named(const std::string& name) const;  // by its exact short or long name
    const Option* withKey(const std::string& key) const;
    std::vector<const Option*> beginning(const std::string& name) const;

    Node root{Node::Either, "", {}};
    std::map<std::string, Node::Kind> keys;      // everything the usage mentions
    std::map<std::string, int> most;             // how often each can occur, counted up to 2

private:
    std::vector<Option> options;
    std::vector<std::string> tokens;
    size_t at = 0;

    void declare(const std::string& section);
    void declareOne(const std::string& line, const std::string& further);
    Node expression();
    Node sequence();
    Node atom();
    Node flag(const Option& option);
    Node longOption(const std::string& token);
    Node shortOptions(const std::string& token);
    void takeValue();
    std::string token() const { return at < tokens.size() ? tokens[at] : ""; }
    void fill(Node& node, const std::vector<std::string>& unmentioned);
    std::map<std::string, int> count(const Node& node);
};

std::vector<std::string> words(const std::string& text);
