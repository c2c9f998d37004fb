package dev.hermod;

/** A request that failed: the service refused it ({@link RefusedException}), or did not answer ({@link UnreachableException}). */
public abstract sealed class HermodException extends RuntimeException permits RefusedException, UnreachableException {
    private static final long serialVersionUID = 1;

    HermodException(String message, Throwable cause) {
        super(message, cause);
    }
}
