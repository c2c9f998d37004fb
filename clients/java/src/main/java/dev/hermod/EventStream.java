package dev.hermod;

import dev.hermod.json.Nullable;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Reads the server-sent events of one connection. */
final class EventStream implements Closeable {
    /** A stream that is silent for this long is broken, since the service sends a comment every 15 s. */
    private static final long SILENCE_SECONDS = 45;

    record LiveEvent(String name, String data, @Nullable String id) {}

    private final InputStream stream;
    private final BufferedReader lines;
    private CompletableFuture<Void> silence = CompletableFuture.completedFuture(null);
    private @Nullable String id;

    EventStream(InputStream stream) {
        this.stream = stream;
        this.lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }

    /** Waits for the next event. Throws if the stream ends. */
    LiveEvent next() throws IOException {
        var name = "";
        var data = new StringBuilder();
        for (var line = line(); !(line.isEmpty() && !name.isEmpty()); line = line()) {
            int colon = line.indexOf(':');
            var field = colon == -1 ? line : line.substring(0, colon);
            var value = colon == -1 ? "" : line.substring(line.startsWith(": ", colon) ? colon + 2 : colon + 1);
            switch (field) {
                case "event" -> name = value;
                case "data" -> data.append(value);
                case "id" -> id = value;
                default -> {}
            }
        }
        return new LiveEvent(name, data.toString(), id);
    }

    private String line() throws IOException {
        silence = new CompletableFuture<Void>().completeOnTimeout(null, SILENCE_SECONDS, TimeUnit.SECONDS);
        silence.thenRun(this::close);
        try {
            var line = lines.readLine();
            if (line == null) throw new IOException("the stream ended");
            return line;
        } finally {
            silence.cancel(false);
        }
    }

    /** Ends a read of another thread as well. */
    @Override
    public void close() {
        try {
            stream.close();
        } catch (IOException alreadyBroken) {
            // Nothing is left to close.
        }
    }
}
