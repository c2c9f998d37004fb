// A receiver on the HTTP server of the JDK. Arguments: its port, and how long it keeps idle connections, in milliseconds (whole
// seconds count). Prints the length of each body that it has read to its end.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

public class Receiver {
    public static void main(String[] arguments) throws IOException {
        System.setProperty("sun.net.httpserver.idleInterval", String.valueOf(Integer.parseInt(arguments[1]) / 1000));
        // How often it looks for idle ones, milliseconds; the name depends on the release.
        System.setProperty("sun.net.httpserver.clockTick", "50");
        System.setProperty("sun.net.httpserver.idleTimerScheduleMillis", "50");
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 1000);
        server.createContext("/", Receiver::receive);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
    }

    private static void receive(HttpExchange exchange) throws IOException {
        boolean isEarly = exchange.getRequestURI().getPath().equals("/early");
        if (isEarly) exchange.sendResponseHeaders(200, 2);
        int length = exchange.getRequestBody().readAllBytes().length;
        System.out.println(length);
        if (!isEarly) exchange.sendResponseHeaders(200, 2);
        try (OutputStream body = exchange.getResponseBody()) {
            body.write("ok".getBytes());
        }
    }
}
