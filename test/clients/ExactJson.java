import dev.hermod.json.Json;
import dev.hermod.json.JsonException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;

/** Reads a list of texts, and prints what the client makes of each: its text and its value; nothing if it refuses it. */
final class ExactJson {
    public static void main(String[] arguments) throws Exception {
        var texts = Json.parse(new String(System.in.readAllBytes(), StandardCharsets.UTF_8)).items();
        var read = texts.stream().map(each -> outcomeOf(each.asText())).toList();
        System.out.write(Json.write(read).getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    private static List<?> outcomeOf(String text) {
        try {
            var json = Json.parse(text);
            return List.of(json.text(), Json.write(valueOf(json)));
        } catch (JsonException refused) {
            return List.of();
        }
    }

    private static Object valueOf(Json json) {
        return switch (json.text().charAt(0)) {
            case '{' -> {
                var fields = new LinkedHashMap<String, Object>();
                json.fields().forEach((name, value) -> fields.put(name, valueOf(value)));
                yield fields;
            }
            case '[' -> json.items().stream().map(ExactJson::valueOf).toList();
            case '"' -> json.asText();
            case 't', 'f' -> json.asBoolean();
            case 'n' -> null;
            default -> json;
        };
    }
}
