# frozen_string_literal: true

# A path that does not lead to a place.
class NoPlace < StandardError
end

# Works changes into a value and takes them out again.
class Editor
  def initialize(value, joint)
    @value = value
    @joint = joint
  end

  def apply(changes)
    changes.each { |sign, path, *values| edit(sign, path, values.last) }
    @value
  end

  def undo(changes)
    changes.reverse_each do |sign, path, value|
      edit({ "+" => "-", "-" => "+", "~" => "~" }[sign], path, value)
    end
    @value
  end

  private

  def steps(path)
    return path if path.is_a?(Array)

    pieces = path.split(@joint, -1)
    pieces.pop while pieces.last == ""
    pieces.flat_map do |piece|
      found = /\A(.*)\[(\d+)\]\z/m.match(piece)
      next [piece] unless found

      found[1].empty? ? [found[2].to_i] : [found[1], found[2].to_i]
    end
  end

  def edit(sign, path, value)
    *way, last = steps(path)
    raise NoPlace if last.nil?

    holder = way.reduce(@value) { |here, step| inside(here, step) }
    value = Marshal.load(Marshal.dump(value))
    if holder.is_a?(Array) && last.is_a?(Integer)
      in_list(holder, sign, last, value)
    elsif holder.is_a?(Hash)
      sign == "-" ? holder.delete(last) : holder[last] = value
    else
      raise NoPlace
    end
  end

  def inside(here, step)
    raise NoPlace unless here.is_a?(Hash) || (here.is_a?(Array) && step.is_a?(Integer))

    here.fetch(step) { raise NoPlace }
  end

  def in_list(list, sign, place, value)
    case sign
    when "+" then list.insert(place, value)
    when "-" then list.delete_at(place)
    else list[place] = value
    end
  end
end
