package dev.hermod;

/** No answer came: the service is unreachable, or took longer than the timeout. */
public final class UnreachableException extends HermodException {
    private static final long serialVersionUID = 1;

    UnreachableException(String origin, String reason, Throwable cause) {
        super("No answer from " + origin + ": " + reason, cause);
    }
}
