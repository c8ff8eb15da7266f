# frozen_string_literal: true

# Puts the package behind the task's own terms: its operations, its names of options and its errors.

require 'json'
require 'fileutils'
require 'hashdiff'

# What the package raises when a path leads nowhere.
NOWHERE = [NoMethodError, TypeError, IndexError].freeze
NO_PLACE = 'error: no-place'

# The package's options for a question's.
def options(question)
  known = {
    strict: !question['loose_numbers'], numeric_tolerance: question['slack'] || 0,
    strip: question['trim'] == true, case_insensitive: question['any_case'] == true,
    array_path: question['steps'] == true, use_lcs: question['quick'] != true
  }
  known[:delimiter] = question['joint'] if question['joint']
  known[:similarity] = question['likeness'] if question['likeness'] && question['op'] != 'best'
  ignored = question['ignore'] || []
  # Anything but true and false leaves the decision to the package.
  known[:comparison] = ->(path, _old, _new) { ignored.include?(path) || nil } unless ignored.empty?
  known
end

def listed(changes)
  changes.empty? ? '(none)' : changes.map { |change| JSON.generate(change) }.join("\n")
end

def moved(question)
  terms = question['joint'] ? { delimiter: question['joint'] } : {}
  JSON.generate(yield(question['value'], question['changes'], terms))
rescue *NOWHERE
  NO_PLACE
end

def answer(question)
  old, new = question.values_at('old', 'new')
  case question['op']
  when 'compare' then listed(Hashdiff.diff(old, new, options(question)))
  when 'best' then listed(Hashdiff.best_diff(old, new, options(question)))
  when 'alike' then Hashdiff.similar?(old, new, options(question)) ? 'yes' : 'no'
  when 'weigh' then Hashdiff.count_nodes(question['value']).to_s
  when 'apply' then moved(question) { |value, changes, terms| Hashdiff.patch!(value, changes, terms) }
  when 'undo' then moved(question) { |value, changes, terms| Hashdiff.unpatch!(value, changes, terms) }
  else raise ArgumentError, "unknown operation #{question['op'].inspect}"
  end
end

suite = ARGV.fetch(0)
target = File.join('rcb_tests', 'stdout', suite)
FileUtils.mkdir_p(target)
Dir[File.join('rcb_tests', suite, '*.json')].sort.each do |file|
  JSON.parse(File.read(file))['cases'].each_with_index do |item, index|
    name = format('%<stem>s@%<index>03d.txt', stem: File.basename(file, '.json'), index: index)
    begin
      File.write(File.join(target, name), "#{answer(item['input'])}\n")
    rescue StandardError => e
      # One odd case leaves the others alone; its answer is missing.
      warn "#{file} #{index}: #{e.message}"
    end
  end
end
