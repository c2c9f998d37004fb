// Written by clients/generate.ts from the API document.
package dev.hermod;

/** The version of the client, and of the service that it was made with. */
public final class Version {
    public static final String TEXT = "0.1.0";

    private Version() {}
}
