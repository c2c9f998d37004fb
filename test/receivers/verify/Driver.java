import java.nio.charset.StandardCharsets;

/** Prints whether each vector, a line of stdin, is genuine. */
final class Driver {
    public static void main(String[] arguments) throws Exception {
        var input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        for (var line : input.strip().split("\n")) {
            var given = line.split("\t", -1);
            var body = given[0].getBytes(StandardCharsets.UTF_8);
            System.out.println(Webhooks.isGenuine(
                    body, given[1], given[2], given[3], given[4].split(" ", -1), Long.parseLong(given[5])));
        }
    }
}
