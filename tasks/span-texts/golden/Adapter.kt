import java.io.File
import kotlin.time.Duration
import kotlin.time.DurationUnit
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** A question that the rules refuse; the message is the reason that is printed. */
class Refusal(reason: String) : Exception(reason)

private val UNITS = mapOf(
    "d" to DurationUnit.DAYS,
    "h" to DurationUnit.HOURS,
    "m" to DurationUnit.MINUTES,
    "s" to DurationUnit.SECONDS,
    "ms" to DurationUnit.MILLISECONDS,
    "us" to DurationUnit.MICROSECONDS,
    "ns" to DurationUnit.NANOSECONDS,
)

/** Writes one output file per case; a case that fails leaves the others alone. */
fun main(arguments: Array<String>) {
    require(arguments.size == 2 && arguments[0] == "--cases-dir") { "usage: --cases-dir SUITE" }
    val target = File("rcb_tests/stdout", arguments[1]).apply { mkdirs() }
    for (file in File("rcb_tests", arguments[1]).listFiles()!!.filter { it.extension == "json" }.sorted()) {
        val cases = Json.parseToJsonElement(file.readText()).jsonObject.getValue("cases").jsonArray
        cases.forEachIndexed { index, case ->
            val name = "${file.nameWithoutExtension}@${index.toString().padStart(3, '0')}.txt"
            try {
                val answer = Question(case.jsonObject.getValue("input").jsonObject).answer()
                File(target, name).writeText(answer + "\n")
            } catch (error: RuntimeException) {
                System.err.println("$name: $error")
            }
        }
    }
}

/** One question in the task's own terms. */
class Question(private val fields: JsonObject) {
    fun answer(): String = try {
        when (val op = text("op")) {
            "read" -> printed(read(text("text")))
            "sum" -> printed(sum())
            "times" -> printed(times())
            "share" -> printed(share())
            "whole" -> read(text("text")).toLong(UNITS.getValue(text("unit"))).toString()
            "parts" -> parts(read(text("text")))
            "rank" -> rank()
            else -> throw IllegalArgumentException("no such op: $op")
        }
    } catch (refusal: Refusal) {
        "error: " + refusal.message
    }

    /** In the form that was asked for, or in that of the first text. */
    private fun printed(span: Duration): String {
        val first = if ("texts" in fields) texts().firstOrNull().orEmpty() else text("text")
        return when (val form = if ("as" in fields) text("as") else if ('P' in first) "wire" else "log") {
            "log" -> span.toString().replace('.', ',')
            "wire" -> span.toIsoString()
            else -> {
                val places = if ("places" in fields) whole("places") else 0
                if (places < 0) throw Refusal("places")
                span.toString(UNITS.getValue(form), places)
            }
        }
    }

    private fun read(text: String): Duration = spanOrNull(text) ?: throw Refusal("text")

    private fun readAll(): List<Duration> = texts().mapIndexed { index, text ->
        spanOrNull(text) ?: throw Refusal("text ${index + 1}")
    }

    /** The log has a decimal comma, the wire a point. */
    private fun spanOrNull(text: String): Duration? = when {
        'P' in text -> Duration.parseOrNull(text)
        '.' in text -> null
        else -> Duration.parseOrNull(text.replace(',', '.'))
    }

    private fun sum(): Duration = refusing("endless") { readAll().fold(Duration.ZERO, Duration::plus) }

    private fun times(): Duration {
        val span = read(text("text"))
        return refusing("endless") { span * whole("by") }
    }

    private fun share(): Duration {
        val span = read(text("text"))
        return refusing("nothing") { span / whole("among") }
    }

    private fun parts(span: Duration): String = span.toComponents { days, hours, minutes, seconds, nanoseconds ->
        "$days $hours $minutes $seconds $nanoseconds"
    }

    /** The longest first; equal ones as they came, each as it was written. */
    private fun rank(): String {
        val spans = readAll()
        return texts().indices.sortedByDescending { spans[it] }.joinToString("\n") { texts()[it] }
    }

    private fun <T> refusing(reason: String, calculation: () -> T): T = try {
        calculation()
    } catch (_: IllegalArgumentException) {
        throw Refusal(reason)
    }

    private fun text(field: String): String = fields.getValue(field).jsonPrimitive.content

    private fun texts(): List<String> = fields.getValue("texts").jsonArray.map { it.jsonPrimitive.content }

    private fun whole(field: String): Int = fields.getValue(field).jsonPrimitive.int
}
