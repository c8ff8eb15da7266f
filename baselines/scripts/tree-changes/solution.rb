# frozen_string_literal: true

# Answers every question of a suite.
require "fileutils"
require "json"
require_relative "changes"
require_relative "editing"

ESCAPES = { '"' => '\\"', "\\" => "\\\\", "\t" => "\\t", "\n" => "\\n" }.freeze

# A value as compact JSON.
def written(value)
  case value
  when Hash then "{#{value.map { |key, item| "#{written(key)}:#{written(item)}" }.join(',')}}"
  when Array then "[#{value.map { |item| written(item) }.join(',')}]"
  when String then "\"#{value.gsub(/["\\\t\n]/, ESCAPES)}\""
  when nil then "null"
  else value.to_s
  end
end

def listed(changes)
  changes.empty? ? "(none)" : changes.map { |change| written(change) }.join("\n")
end

# The lightest of three lists of changes; of equals the one of the greatest likeness.
def best(question)
  lists = [0.8, 0.5, 0.3].map do |likeness|
    differ = Differ.new(question, likeness: likeness)
    changes = differ.compare(question["old"], question["new"])
    [differ.changed(changes), changes]
  end
  lists.min_by.with_index { |(weight, _), index| [weight, index] }.last
end

def answer(question)
  differ = Differ.new(question)
  case question["op"]
  when "compare" then listed(differ.compare(question["old"], question["new"]))
  when "best" then listed(best(question))
  when "alike" then differ.alike?(question["old"], question["new"]) ? "yes" : "no"
  when "weigh" then differ.weight(question["value"]).to_s
  else
    editor = Editor.new(question["value"], question.fetch("joint", "."))
    written(question["op"] == "apply" ? editor.apply(question["changes"]) : editor.undo(question["changes"]))
  end
rescue NoPlace
  "error: no-place"
end

suite = ARGV[ARGV.index("--cases-dir") + 1]
out = File.join(__dir__, "rcb_tests", "stdout", suite)
FileUtils.mkdir_p(out)
Dir[File.join(__dir__, "rcb_tests", suite, "*.json")].sort.each do |file|
  JSON.parse(File.read(file, encoding: "UTF-8"), max_nesting: false)["cases"].each_with_index do |question, index|
    name = format("%s@%03d.txt", File.basename(file, ".json"), index)
    File.write(File.join(out, name), "#{answer(question['input'])}\n")
  rescue StandardError, SystemStackError => e
    warn "#{name}: #{e.message}"
  end
end
