import dev.hermod.FollowQuery;
import dev.hermod.Hermod;
import dev.hermod.HermodOptions;
import dev.hermod.PullOptions;
import dev.hermod.PulledWebhook;
import dev.hermod.RefusedException;
import dev.hermod.RequestOption;
import dev.hermod.UnreachableException;
import dev.hermod.WebhookVerificationException;
import dev.hermod.Webhooks;
import dev.hermod.json.Input;
import dev.hermod.json.Json;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs the cases of cases.json with the Java client, and prints what came of each step. */
final class Driver {
    private final Hermod hermod;
    private final Map<String, Json> saved = new HashMap<>();

    private Driver(Json given) {
        var client = given.get("client");
        var options = new HermodOptions();
        if (!client.get("account").isNull()) options.account(client.get("account").asText());
        if (!client.get("maxRetries").isNull()) options.maxRetries((int) client.get("maxRetries").asLong());
        if (!client.get("timeoutMs").isNull()) options.timeout(Duration.ofMillis(client.get("timeoutMs").asLong()));
        hermod = new Hermod(given.get("url").asText(), given.get("key").asText(), options);
    }

    public static void main(String[] arguments) throws Exception {
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (var each : Json.parse(new String(System.in.readAllBytes(), StandardCharsets.UTF_8)).items()) {
            var driver = new Driver(each);
            var outcomes = each.get("steps").items().stream().map(driver::outcomeOf).toList();
            out.println(Json.write(Map.of("name", each.get("name"), "outcomes", outcomes)));
        }
    }

    private Map<String, ?> outcomeOf(Json given) {
        try {
            var step = Json.parse(Json.write(resolved(given)));
            var value = Json.parse(Json.write(run(step)));
            if (!step.get("save").isNull()) saved.put(step.get("save").asText(), value);
            return Map.of("value", value);
        } catch (Exception failure) {
            return Map.of("error", failureOf(failure));
        }
    }

    private Object run(Json step) throws Exception {
        if (!step.get("call").isNull()) return call(step.get("call").asText(), step);
        if (!step.get("each").isNull()) return taken((Iterable<?>) call(step.get("each").asText(), step), step);
        if (!step.get("follow").isNull()) {
            try (var deliveries = hermod.webhooks().follow(new FollowQuery().start(step.get("follow").asText()))) {
                return taken(deliveries, step);
            }
        }
        if (!step.get("receive").isNull()) return received(step);
        var signed = step.get("verify");
        var webhook = Webhooks.verify(
                signed.get("body").asText().getBytes(StandardCharsets.UTF_8),
                name -> signed.get("headers").get(name).isNull() ? null : signed.get("headers").get(name).asText(),
                signed.get("secrets").items().stream().map(Json::asText).toArray(String[]::new));
        var shown = new HashMap<String, Object>(Map.of("id", webhook.id(), "data", webhook.data()));
        shown.put("event", webhook.event());
        shown.put("ordering_key", webhook.orderingKey());
        shown.put("attempt", webhook.attempt());
        shown.put("sequence", webhook.sequence());
        return shown;
    }

    private List<Object> received(Json step) {
        var options = new PullOptions();
        if (step.get("waits").isNull()) options.untilEmpty();
        if (!step.get("limit").isNull()) options.limit(step.get("limit").asLong());
        try (var webhooks = hermod.receive(step.get("receive").asText(), options)) {
            return taken(() -> map(webhooks.iterator(), step), step);
        }
    }

    private static Iterator<Object> map(Iterator<PulledWebhook> webhooks, Json step) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return webhooks.hasNext();
            }

            @Override
            public Object next() {
                var webhook = webhooks.next();
                if (!step.get("fail").isNull()) webhook.fail(step.get("fail").asText());
                return Map.of("sequence", webhook.sequence(), "data", webhook.data(), "attempt", webhook.attempt());
            }
        };
    }

    private static List<Object> taken(Iterable<?> items, Json step) {
        long most = step.get("take").isNull() ? Long.MAX_VALUE : step.get("take").asLong();
        var found = new ArrayList<Object>();
        for (var each = items.iterator(); found.size() < most && each.hasNext(); ) found.add(each.next());
        return found;
    }

    /** Calls a method by its name: ids, the input and the options. */
    private Object call(String name, Json step) throws Exception {
        Object holder = hermod;
        var parts = name.split("\\.");
        for (int i = 0; i < parts.length - 1; i++) holder = holder.getClass().getMethod(parts[i]).invoke(holder);
        var ids = step.get("ids").isNull() ? List.<Json>of() : step.get("ids").items();
        boolean hasInput = !step.get("input").isNull();
        for (var method : holder.getClass().getMethods()) {
            var types = method.getParameterTypes();
            boolean takesInput = Stream.of(types).anyMatch(Input.class::isAssignableFrom);
            if (!method.getName().equals(parts[parts.length - 1]) || takesInput != hasInput) continue;
            var given = new ArrayList<Object>();
            for (var id : ids) given.add(id.asText());
            if (hasInput) given.add(inputOf(types[given.size()], step.get("input"), step.get("raw")));
            if (given.size() < types.length) given.add(optionsOf(step));
            try {
                return method.invoke(holder, given.toArray());
            } catch (InvocationTargetException failure) {
                throw (Exception) failure.getCause();
            }
        }
        throw new NoSuchMethodException(name);
    }

    private static RequestOption[] optionsOf(Json step) {
        if (step.get("key").isNull()) return new RequestOption[0];
        return new RequestOption[] {RequestOption.idempotencyKey(step.get("key").asText())};
    }

    private static Object inputOf(Class<?> type, Json input, Json raw) throws Exception {
        var made = type.getConstructor().newInstance();
        for (var each : input.fields().entrySet()) set(made, each.getKey(), each.getValue());
        if (!raw.isNull()) for (var each : raw.fields().entrySet()) set(made, each.getKey(), Json.parse(each.getValue().asText()));
        return made;
    }

    private static void set(Object input, String name, Json value) throws Exception {
        for (var method : input.getClass().getMethods()) {
            boolean isSetter = method.getName().replace("_", "").equalsIgnoreCase(name.replace("_", "")) && method.getParameterCount() == 1;
            if (!isSetter || (value.isNull() && method.getParameterTypes()[0].isPrimitive())) continue;
            method.invoke(input, javaOf(value, method.getGenericParameterTypes()[0]));
            return;
        }
        throw new NoSuchMethodException(name);
    }

    private static Object javaOf(Json value, Type type) throws Exception {
        if (value.isNull() || type == Object.class || type instanceof WildcardType) return value.isNull() && type != Object.class ? null : value;
        if (type == String.class) return value.asText();
        if (type == Instant.class) return value.asInstant();
        if (type == boolean.class || type == Boolean.class) return value.asBoolean();
        if (type == long.class || type == Long.class) return value.asLong();
        if (type == double.class || type == Double.class) return value.asDouble();
        if (type instanceof Class<?> named && named.isEnum()) return named.getMethod("of", Json.class).invoke(null, value);
        if (type instanceof Class<?> named) return inputOf(named, value, Json.parse("null"));
        var inner = ((ParameterizedType) type).getActualTypeArguments();
        if (inner.length == 1) {
            var list = new ArrayList<Object>();
            for (var each : value.items()) list.add(javaOf(each, inner[0]));
            return list;
        }
        var map = new LinkedHashMap<String, Object>();
        for (var each : value.fields().entrySet()) map.put(each.getKey(), javaOf(each.getValue(), inner[1]));
        return map;
    }

    private static Map<String, ?> failureOf(Exception failure) {
        if (failure instanceof RefusedException refusal) {
            var facts = new HashMap<String, Object>(Map.of("kind", "refused", "status", refusal.status(), "hasRequestId", refusal.requestId() != null));
            facts.put("code", refusal.code());
            if (refusal.retryAfter() != null) facts.put("retryAfter", refusal.retryAfter().toSeconds());
            return facts;
        }
        if (failure instanceof UnreachableException) return Map.of("kind", "unreachable");
        if (failure instanceof WebhookVerificationException) return Map.of("kind", "verification");
        return Map.of("kind", failure instanceof IllegalArgumentException ? "argument" : "broken", "message", failure.toString());
    }

    /** Replaces {@code $name.field} by what an earlier step has saved. */
    private Object resolved(Json given) {
        var text = given.text();
        if (text.startsWith("{")) {
            var fields = new LinkedHashMap<String, Object>();
            given.fields().forEach((name, value) -> {
                if (!name.equals("expect")) fields.put(name, resolved(value));
            });
            return fields;
        }
        if (text.startsWith("[")) return given.items().stream().map(this::resolved).toList();
        if (!text.startsWith("\"$")) return given;
        var path = given.asText().substring(1).split("\\.");
        var found = saved.get(path[0]);
        for (int i = 1; i < path.length; i++)
            found = found.text().startsWith("[") ? found.items().get(Integer.parseInt(path[i])) : found.get(path[i]);
        return found;
    }
}
