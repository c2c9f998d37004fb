import java.time.Instant

/** Prints whether each vector, a line of stdin, is genuine. */
fun main() = System.`in`.reader().forEachLine { line ->
    val (body, id, timestamp, signatures, secrets) = line.split('\t')
    val now = Instant.ofEpochSecond(line.substringAfterLast('\t').toLong())
    println(isGenuine(body.toByteArray(), id, timestamp, signatures, secrets.split(' '), now))
}
