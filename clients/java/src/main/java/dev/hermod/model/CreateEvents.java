// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.util.List;

public final class CreateEvents extends Input {
    public CreateEvents events(List<CreateEvent> events) { return with(this, "events", events); }
}
