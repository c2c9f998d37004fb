package dev.hermod.inbox;

import dev.hermod.json.Json;
import dev.hermod.json.Nullable;

/**
 * A webhook whose work is to be done once.
 *
 * @param id the {@code webhook-id}
 * @param sequence the delivery's number at its endpoint
 * @param data the payload, with its exact text
 */
public record InboxEvent(String id, long sequence, @Nullable String event, @Nullable String orderingKey, Json data) {}
