import com.sun.net.httpserver.HttpServer;
import dev.hermod.inbox.Inbox;
import dev.hermod.inbox.InboxOptions;
import dev.hermod.inbox.InboxWork;
import dev.hermod.json.Json;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/** A receiver with an inbox at each path, whose work writes a row for each webhook. Prints its port. */
final class InboxReceiver {
    public static void main(String[] arguments) throws Exception {
        var given = Json.parse(arguments[0]);
        var database = databaseAt(given.get("database").asText());
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        for (var each : given.get("inboxes").items()) {
            var path = each.get("path").asText();
            var inbox = new Inbox(database, optionsOf(each), workAt(path));
            inbox.createTable();
            if (!each.get("catchUp").isNull()) inbox.catchUp();
            server.createContext(path, exchange -> {
                var body = exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(inbox.handle(body, exchange.getRequestHeaders()::getFirst), -1);
                exchange.close();
            });
            if (path.equals("/pruned")) server.createContext("/prune", exchange -> {
                prune(inbox);
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            });
        }
        server.start();
        System.out.println(server.getAddress().getPort());
    }

    /** Compiles without Postgres' driver. */
    private static DataSource databaseAt(String url) throws ReflectiveOperationException {
        var driver = Class.forName("org.postgresql.ds.PGSimpleDataSource");
        var database = (DataSource) driver.getConstructor().newInstance();
        driver.getMethod("setUrl", String.class).invoke(database, url);
        return database;
    }

    private static void prune(Inbox inbox) {
        try {
            inbox.prune(Instant.now().plusSeconds(1));
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static InboxWork workAt(String path) {
        return (transaction, event) -> {
            try (var insert = transaction.prepareStatement("insert into effects (path, sequence, payload) values (?, ?, ?)")) {
                insert.setString(1, path);
                insert.setLong(2, event.sequence());
                insert.setString(3, event.data().text());
                insert.executeUpdate();
            }
        };
    }

    private static InboxOptions optionsOf(Json given) {
        var options = new InboxOptions(given.get("endpoint").asText(), given.get("secret").asText()).onError((failure, event) -> {});
        if (!given.get("ordered").isNull()) options.ordered();
        if (!given.get("batched").isNull()) options.batched();
        var catchUp = given.get("catchUp");
        if (!catchUp.isNull()) options.catchUp(catchUp.get("url").asText(), catchUp.get("key").asText()).catchUpAfter(Duration.ofMillis(100));
        return options;
    }
}
