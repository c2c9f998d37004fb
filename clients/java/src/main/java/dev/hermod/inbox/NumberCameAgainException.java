package dev.hermod.inbox;

/** A number came again with another id: Hermod's Postgres was restored, and gives numbers anew. */
public final class NumberCameAgainException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    NumberCameAgainException(long sequence, String known, String id) {
        super("number " + sequence + " was " + known + " and came again as " + id
                + ": Hermod was restored from a backup; give the inbox another name");
    }
}
