import java.io.File
import java.math.BigInteger
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

private fun JsonObject.text(name: String): String? = (this[name] as? JsonPrimitive)?.content

private fun JsonObject.number(name: String): BigInteger = BigInteger(text(name) ?: "0")

fun answer(question: JsonObject): String = try {
    val many = (question["texts"] as? JsonArray)?.map { (it as JsonPrimitive).content }
    val texts = many ?: listOf(question.text("text") ?: "")
    val spans = texts.mapIndexed { at, text -> read(text) ?: throw Refusal(if (many == null) "text" else "text ${at + 1}") }
    val own = if (texts.firstOrNull()?.contains('P') == true) "wire" else "log"
    val shown = { span: Span -> printed(span, question.text("as") ?: own, question.text("places")?.toInt() ?: 0) }
    when (question.text("op")) {
        "read" -> shown(spans[0])
        "sum" -> shown(spans.fold(Span.of(BigInteger.ZERO)) { sum, span -> sum + span })
        "times" -> shown(spans[0].times(question.number("by")))
        "share" -> shown(spans[0].among(question.number("among")))
        "whole" -> spans[0].whole(UNITS.getValue(question.text("unit") ?: "ns")).toString()
        "parts" -> parts(spans[0])
        else -> texts.zip(spans).sortedByDescending { it.second }.joinToString("\n") { it.first }
    }
} catch (refusal: Refusal) {
    "error: ${refusal.reason}"
}

fun main(arguments: Array<String>) {
    val suite = arguments.last()
    val out = File("rcb_tests/stdout/$suite").apply { mkdirs() }
    for (file in File("rcb_tests/$suite").listFiles { file -> file.extension == "json" }.orEmpty().sorted()) {
        val group = Json.parseToJsonElement(file.readText()) as JsonObject
        (group["cases"] as JsonArray).forEachIndexed { index, case ->
            val name = "%s@%03d.txt".format(file.nameWithoutExtension, index)
            File(out, name).writeText(answer((case as JsonObject)["input"] as JsonObject) + "\n")
        }
    }
}
