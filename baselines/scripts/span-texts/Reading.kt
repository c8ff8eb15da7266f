import java.math.BigInteger

private val ENDLESS = Regex("([+-]?)infinity", RegexOption.IGNORE_CASE)
private val BRACKETS = Regex("([+-])\\((\\S.*)\\)")
private val PART = Regex("([0-9]+)(?:,([0-9]+))?(ms|us|ns|d|h|m|s)")
private val WIRE = Regex(
    "([+-]?)P(?:([+-]?[0-9]+)D)?(T(?:([+-]?[0-9]+)H)?(?:([+-]?[0-9]+)M)?(?:([+-]?)([0-9]+)(?:\\.([0-9]+))?S)?)?",
)

/** Read a text in either form; null: it is refused. */
fun read(text: String): Span? {
    ENDLESS.matchEntire(text)?.let { return Span.endless(turn(it.groupValues[1])) }
    val ns = if ('P' in text) wire(text) else log(text)
    return ns?.let { Span.of(it) }
}

private fun turn(sign: String) = if (sign == "-") -1 else 1

/** A number of units in `ns`, rounded to the nearest, a half up. */
private fun amount(whole: String, fraction: String, unit: String): BigInteger {
    val scale = BigInteger.TEN.pow(fraction.length)
    val exact = BigInteger(whole + fraction) * UNITS.getValue(unit)
    return (exact * BigInteger.TWO + scale) / (scale * BigInteger.TWO)
}

private fun log(text: String): BigInteger? {
    BRACKETS.matchEntire(text)?.let { found ->
        return parts(found.groupValues[2])?.let { if (found.groupValues[1] == "-") -it else it }
    }
    val signed = text.startsWith("-") || text.startsWith("+")
    if (signed && ' ' in text) return null
    val ns = parts(if (signed) text.drop(1) else text) ?: return null
    return if (text.startsWith("-")) -ns else ns
}

private fun parts(text: String): BigInteger? {
    val order = UNITS.keys.toList()
    var sum = BigInteger.ZERO
    var last = -1
    var at = 0
    while (true) {
        val found = PART.find(text, at)?.takeIf { it.range.first == at } ?: return null
        val (whole, fraction, unit) = found.destructured
        val place = order.indexOf(unit)
        if (place <= last) return null
        last = place
        sum += amount(whole, fraction, unit)
        at = found.range.last + 1
        if (at == text.length) return sum
        if (fraction.isNotEmpty()) return null
        while (at < text.length && text[at] == ' ') at++
    }
}

private fun wire(text: String): BigInteger? {
    val found = WIRE.matchEntire(text) ?: return null
    val (sign, days, time, hours, minutes, minus, seconds, fraction) = found.destructured
    if (time == "T" || (days.isEmpty() && time.isEmpty())) return null
    val whole = listOf(days to "d", hours to "h", minutes to "m").filter { it.first.isNotEmpty() }
        .fold(BigInteger.ZERO) { sum, (number, unit) -> sum + BigInteger(number.removePrefix("+")) * UNITS.getValue(unit) }
    val rest = if (seconds.isEmpty()) BigInteger.ZERO else amount(seconds, fraction, "s")
    return (whole + (if (minus == "-") -rest else rest)).let { if (sign == "-") -it else it }
}
