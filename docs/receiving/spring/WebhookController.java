package com.example.webhooks;

import dev.hermod.WebhookVerificationException;
import dev.hermod.Webhooks;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Needs Hermod's client, and Spring Boot's starters for web and JDBC. */
@RestController
class WebhookController {
    private static final int LARGEST_BODY = 2 * 1_048_576;
    // create table webhooks (id text primary key, sequence bigint, event text, body text, done boolean not null)
    private static final String STORE = "insert into webhooks values (?, ?, ?, ?, false) on conflict do nothing";

    private final JdbcTemplate db;
    private final String[] secrets; // several while one is being replaced

    WebhookController(JdbcTemplate db, @Value("${WEBHOOK_SECRET}") String secrets) {
        this.db = db;
        this.secrets = secrets.split(" ");
    }

    @PostMapping("/hooks")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void receive(HttpServletRequest request) throws IOException {
        // 1. Read the body as bytes, up to a limit.
        var body = request.getInputStream().readNBytes(LARGEST_BODY + 1);
        if (body.length > LARGEST_BODY) throw new ResponseStatusException(HttpStatus.PAYLOAD_TOO_LARGE);
        // 2. Verify the signature.
        var webhook = Webhooks.verify(body, request::getHeader, secrets);
        // 3. Store the webhook under its id, unless it came before.
        db.update(STORE, webhook.id(), webhook.sequence(), webhook.event(), new String(body, StandardCharsets.UTF_8));
        // 4. Answer 2xx.
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.UNAUTHORIZED)
    void refuse(WebhookVerificationException error) {}
}
