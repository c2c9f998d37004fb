// Written by clients/generate.ts from the API document.
package dev.hermod.model;

import dev.hermod.json.Input;
import java.util.List;

public final class CreateWebhooks extends Input {
    public CreateWebhooks webhooks(List<CreateWebhook> webhooks) { return with(this, "webhooks", webhooks); }
}
