# frozen_string_literal: true

# What is different between two values. A path is a list of keys (texts), places (numbers) and :star.
class Differ
  def initialize(options, likeness: nil)
    @options = options
    @likeness = likeness || options.fetch("likeness", 0.8)
    @joint = options.fetch("joint", ".")
    @slack = options.fetch("slack", 0)
    @ignored = options.fetch("ignore", [])
  end

  # The path as it is printed: text, or list of steps.
  def shown(path)
    steps = path.map { |step| step == :star ? "*" : step }
    return steps if @options["steps"]

    path.reduce("") do |text, step|
      if step.is_a?(String)
        text.empty? ? step : text + @joint + step
      else
        "#{text}[#{step == :star ? '*' : step}]"
      end
    end
  end

  def compare(old, new, path = [])
    return [] if ignored?(path) || (old.nil? && new.nil?)
    return [["~", shown(path), old, new]] if old.nil? || new.nil? || kind(old) != kind(new)

    case old
    when Hash then objects(old, new, path)
    when Array then @options["quick"] ? walk(old, new, path) : lists(old, new, path)
    else equal?(old, new) ? [] : [["~", shown(path), old, new]]
    end
  end

  def alike?(old, new, path = [])
    return equal?(old, new) if leaf?(old) && leaf?(new) && @ignored.empty?

    whole = weight(old) + weight(new)
    whole.zero? || 1 - changed(compare(old, new, path)).fdiv(whole) >= @likeness
  end

  # The weight of a list of changes.
  def changed(changes)
    changes.sum { |change| change.drop(2).sum { |value| weight(value) } }
  end

  def weight(value)
    case value
    when Hash then value.values.sum { |item| weight(item) }
    when Array then value.sum { |item| weight(item) }
    else value ? 1 : 0
    end
  end

  private

  def ignored?(path)
    !@ignored.empty? && @ignored.include?(shown(path))
  end

  def leaf?(value)
    !value.is_a?(Hash) && !value.is_a?(Array)
  end

  def kind(value)
    @options["loose_numbers"] && value.is_a?(Numeric) ? Numeric : value.class
  end

  # Whether two leaves are equal, whatever kinds of number they are.
  def equal?(old, new)
    return (old - new).abs <= @slack if old.is_a?(Numeric) && new.is_a?(Numeric)
    return plain(old) == plain(new) if old.is_a?(String) && new.is_a?(String)

    old == new
  end

  def plain(text)
    text = text.gsub(/\A[ \t\n\r]+|[ \t\n\r]+\z/, "") if @options["trim"]
    @options["any_case"] ? text.downcase : text
  end

  def objects(old, new, path)
    gone, both = old.keys.partition { |key| !new.key?(key) }
    come = new.keys.reject { |key| old.key?(key) }
    gone = gone.reject { |key| ignored?(path + [key]) }.sort.map { |key| ["-", shown(path + [key]), old[key]] }
    come = come.reject { |key| ignored?(path + [key]) }.sort.map { |key| ["+", shown(path + [key]), new[key]] }
    gone + both.sort.flat_map { |key| compare(old[key], new[key], path + [key]) } + come
  end

  def lists(old, new, path)
    pairs = paired(old, new, path + [:star])
    found = pairs.flat_map { |x, y| compare(old[x], new[y], path + [x]) }
    last_x = last_y = -1
    [*pairs, [old.size, new.size]].each do |x, y|
      (x - last_x - 2).downto(0) { |back| found << ["-", shown(path + [last_y + 1 + back]), old[last_x + 1 + back]] }
      (last_y + 1...y).each { |place| found << ["+", shown(path + [place]), new[place]] }
      last_x = x
      last_y = y
    end
    found
  end

  # The pairs of places of alike items, by the longest series of them, chosen from the end.
  def paired(old, new, path)
    alike = old.map { |a| new.map { |b| alike?(a, b, path) } }
    most = Array.new(old.size + 1) { Array.new(new.size + 1, 0) }
    (1..old.size).each do |x|
      (1..new.size).each do |y|
        above = [most[x - 1][y], most[x][y - 1]].max
        most[x][y] = alike[x - 1][y - 1] ? most[x - 1][y - 1] + 1 : above
      end
    end
    x = old.size
    y = new.size
    pairs = []
    while most[x][y].positive?
      if alike[x - 1][y - 1]
        pairs.unshift([x -= 1, y -= 1])
      elsif most[x][y - 1] > most[x - 1][y]
        y -= 1
      else
        x -= 1
      end
    end
    pairs
  end

  # The hurried walk through two lists side by side.
  def walk(old, new, path)
    kept = []
    plus = []
    minus = []
    i = j = 0
    surplus = new.size - old.size
    while i < old.size || j < new.size
      if j >= new.size
        minus << ["-", shown(path + [i]), old[i]]
      elsif i >= old.size
        plus << ["+", shown(path + [j]), new[j]]
      else
        here = path + [i]
        changes = compare(old[i], new[j], here)
        ahead = changes.empty? ? nil : (1..surplus.abs).find { |k| match?(old, new, i, j, surplus.positive? ? [0, k] : [k, 0], here) }
        if ahead && surplus.positive?
          (j...j + ahead).each { |place| plus << ["+", shown(path + [place]), new[place]] }
          surplus -= ahead
          j += ahead
        elsif ahead
          (i...i + ahead).each { |place| minus << ["-", shown(path + [place]), old[place]] }
          surplus += i + ahead - j
          i += ahead
        else
          kept.concat(changes)
        end
      end
      i += 1
      j += 1
    end
    kept + plus + minus.reverse
  end

  def match?(old, new, i, j, ahead, path)
    compare(old[i + ahead[0]], new[j + ahead[1]], path).empty?
  end
end
