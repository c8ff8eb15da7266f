import java.math.BigInteger

/** Units with their `ns`, from large to small. */
val UNITS: Map<String, BigInteger> = linkedMapOf(
    "d" to 86_400_000_000_000L, "h" to 3_600_000_000_000L, "m" to 60_000_000_000L, "s" to 1_000_000_000L,
    "ms" to 1_000_000L, "us" to 1_000L, "ns" to 1L,
).mapValues { BigInteger.valueOf(it.value) }

private val LONGEST_FINE = BigInteger("4611686018426999999")
private val ENDLESS_MS = BigInteger("4611686018427387903")
private val MS = UNITS.getValue("ms")
private val LOWEST = BigInteger.valueOf(Long.MIN_VALUE)
private val HIGHEST = BigInteger.valueOf(Long.MAX_VALUE)

class Refusal(val reason: String) : Exception(reason)

/** A span of time: its `ns`, or endless with a sign of 1 or -1. */
class Span private constructor(val ns: BigInteger, val endless: Int) : Comparable<Span> {
    val sign: Int get() = if (endless != 0) endless else ns.signum()
    private val isLong: Boolean get() = ns.abs() > LONGEST_FINE

    operator fun plus(other: Span): Span {
        if (endless != 0 || other.endless != 0) {
            if (endless * other.endless < 0) throw Refusal("endless")
            return if (endless != 0) this else other
        }
        val sum = ns + other.ns
        val coarse = sum.abs() > LONGEST_FINE && (isLong || other.isLong)
        return if (coarse) of(cut(ns) + cut(other.ns)) else of(sum)
    }

    fun times(by: BigInteger): Span = when {
        endless == 0 -> of(ns * by)
        by.signum() == 0 -> throw Refusal("endless")
        else -> endless(endless * by.signum())
    }

    fun among(count: BigInteger): Span = when {
        count.signum() != 0 -> if (endless == 0) of(ns / count) else endless(endless * count.signum())
        sign == 0 -> throw Refusal("nothing")
        else -> endless(sign)
    }

    /** How many whole units it has, within 64 bits. */
    fun whole(unit: BigInteger): BigInteger =
        if (endless != 0) (if (endless > 0) HIGHEST else LOWEST) else (ns / unit).max(LOWEST).min(HIGHEST)

    override fun compareTo(other: Span): Int = compareValuesBy(this, other, { it.endless }, { it.ns })

    companion object {
        fun endless(sign: Int) = Span(BigInteger.ZERO, sign)

        fun of(ns: BigInteger): Span {
            val kept = if (ns.abs() > LONGEST_FINE) cut(ns) else ns
            return if (kept.abs() / MS >= ENDLESS_MS) endless(kept.signum()) else Span(kept, 0)
        }

        private fun cut(ns: BigInteger): BigInteger = ns / MS * MS
    }
}
