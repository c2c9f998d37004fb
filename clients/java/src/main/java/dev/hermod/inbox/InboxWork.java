package dev.hermod.inbox;

import java.sql.Connection;

/** The receiver's work. Whatever it writes with the connection commits together with the note that it is done. */
@FunctionalInterface
public interface InboxWork {
    void run(Connection transaction, InboxEvent event) throws Exception;
}
