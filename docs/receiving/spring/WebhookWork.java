package com.example.webhooks;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/** Needs {@code @EnableScheduling} in the application. */
@Component
class WebhookWork {
    private static final String TAKE_FIRST = """
        update webhooks set done = true where id =
        (select id from webhooks where not done and sequence > 0 order by sequence limit 1 for update)
        returning sequence, event, body""";

    private final JdbcTemplate db;
    private final TransactionTemplate transaction;

    WebhookWork(JdbcTemplate db, TransactionTemplate transaction) {
        this.db = db;
        this.transaction = transaction;
    }

    // 5. Work afterwards, in order. A failure holds back what follows until it succeeds.
    @Scheduled(fixedDelay = 1_000)
    void work() {
        while (Boolean.TRUE.equals(transaction.execute(status -> isWorkedOn()))) {}
    }

    private boolean isWorkedOn() {
        var taken = db.queryForList(TAKE_FIRST);
        for (var each : taken) System.out.println(each.get("sequence") + " " + each.get("event") + " " + each.get("body"));
        return !taken.isEmpty();
    }
}
