import java.math.BigDecimal
import java.math.BigInteger
import java.math.RoundingMode

private const val MOST_PLACES = 12

/** Print a span as `log`, as `wire`, or in a unit. */
fun printed(span: Span, form: String, places: Int): String = when (form) {
    "log" -> log(span)
    "wire" -> wire(span)
    else -> single(span, form, places)
}

private fun endless(span: Span) = if (span.endless > 0) "Infinity" else "-Infinity"

/** Cut a size into whole units, the last of which keeps the rest in `ns`. */
private fun split(ns: BigInteger, units: List<String>): Pair<List<BigInteger>, BigInteger> {
    var rest = ns
    val counts = units.map { unit ->
        val (count, left) = rest.divideAndRemainder(UNITS.getValue(unit))
        rest = left
        count
    }
    return counts to rest
}

private fun filled(digits: String): String = digits.padEnd((digits.length + 2) / 3 * 3, '0')

/** The rest below a unit as a fraction; short ones stay short where that is the custom. */
private fun fraction(rest: BigInteger, unit: String, mark: String, short: Boolean): String {
    if (rest.signum() == 0) return ""
    val digits = rest.toString().padStart(UNITS.getValue(unit).toString().length - 1, '0').trimEnd('0')
    return mark + if (short && digits.length < 3) digits else filled(digits)
}

private fun log(span: Span): String {
    if (span.endless != 0) return endless(span)
    val size = span.ns.abs()
    if (size.signum() == 0) return "0s"
    val minus = if (span.sign < 0) "-" else ""
    if (size < UNITS.getValue("s")) {
        val unit = listOf("ms", "us", "ns").first { size >= UNITS.getValue(it) }
        val (counts, rest) = split(size, listOf(unit))
        return minus + counts[0] + fraction(rest, unit, ",", true) + unit
    }
    val units = listOf("d", "h", "m", "s")
    val (counts, rest) = split(size, units)
    val there = counts.mapIndexed { at, count -> count.signum() != 0 || (at == 3 && rest.signum() != 0) }
    val shown = (there.indexOf(true)..there.lastIndexOf(true)).map { at ->
        "${counts[at]}${if (at == 3) fraction(rest, "s", ",", true) else ""}${units[at]}"
    }
    val text = shown.joinToString(" ")
    return if (minus.isNotEmpty() && shown.size > 1) "-($text)" else minus + text
}

private fun wire(span: Span): String {
    val minus = if (span.sign < 0) "-" else ""
    if (span.endless != 0) return minus + "PT9999999999999H"
    val (counts, rest) = split(span.ns.abs(), listOf("h", "m", "s"))
    val (hours, minutes, seconds) = counts
    val ends = seconds.signum() != 0 || rest.signum() != 0
    val text = StringBuilder()
    if (hours.signum() != 0) text.append(hours).append('H')
    if (minutes.signum() != 0 || (hours.signum() != 0 && ends)) text.append(minutes).append('M')
    if (ends || text.isEmpty()) text.append(seconds).append(fraction(rest, "s", ".", false)).append('S')
    return minus + "PT" + text
}

private fun single(span: Span, unit: String, places: Int): String {
    if (places < 0) throw Refusal("places")
    if (span.endless != 0) return endless(span)
    val number = span.ns.abs().toDouble() / UNITS.getValue(unit).toDouble()
    val rounded = BigDecimal(number).setScale(minOf(places, MOST_PLACES), RoundingMode.HALF_UP)
    return (if (span.sign < 0) "-" else "") + rounded.toPlainString() + unit
}

/** Days, hours, minutes, seconds and `ns` with blanks between. */
fun parts(span: Span): String {
    if (span.endless != 0) return "${span.whole(BigInteger.ONE)} 0 0 0 0"
    val (counts, rest) = split(span.ns, listOf("d", "h", "m", "s"))
    return (counts + rest).joinToString(" ")
}
