import type { DeliveryId, EventId } from "../../domain/ids";
import type { AnySql, Fragment } from "../pool";

/**
 * Makes the id of an event out of a new id: the last 16 bits number its deliveries, 0 is the event itself. So the
 * deliveries of an event are a range of ids, and lie in the event's time range.
 */
export function eventIdFrom(id: string): EventId {
  return `${id.slice(0, 32)}0000` as EventId;
}

/** Returns the last id that a delivery of the event may have. */
export function lastIdOf(eventId: EventId): DeliveryId {
  return `${eventId.slice(0, 32)}ffff` as DeliveryId;
}

/** Returns the id of the event's delivery with this number, from 1. */
export function numberedId(eventId: EventId, number: number): DeliveryId {
  return `${eventId.slice(0, 32)}${number.toString(16).padStart(4, "0")}` as DeliveryId;
}

/** SQL: `eventIdFrom` and `lastIdOf` of a column or expression. */
export const eventIdSql = (id: string) => `(left(${id}::text, 32) || '0000')::uuid`;
export const lastIdSql = (id: string) => `(left(${id}::text, 32) || 'ffff')::uuid`;
/** SQL: `numberedId` of columns or expressions. */
export const numberedIdSql = (id: string, number: string) =>
  `(left(${id}::text, 32) || lpad(to_hex((${number})::integer), 4, '0'))::uuid`;

/**
 * SQL: the payload of a delivery `d`, its own or its event's; null once it is erased. Looks the event up only if the delivery has
 * no payload of its own.
 */
export function payloadOf(sql: AnySql, d: string): Fragment {
  return sql`nullif(coalesce(${sql.unsafe(`${d}.data, event_payload(${d}.account_id, ${d}.id)`)}), '')`;
}
