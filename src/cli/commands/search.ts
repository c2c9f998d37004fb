import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { DeliveryQuery } from "../../client";
import { named, oneOf, readStatus, wholeNumber } from "./values";

type PayloadFields = Readonly<Record<`data.${string}`, string>>;

const readError = oneOf<NonNullable<DeliveryQuery["error"]>>({
  timeout: true,
  invalid_url: true,
  https_required: true,
  blocked_address: true,
  dns: true,
  connection_refused: true,
  connection_reset: true,
  connection_failed: true,
  tls: true,
  proxy: true,
  mail_server: true,
  protocol: true,
  response_too_large: true,
  receiver_failed: true,
  lease_expired: true,
  forgery_accepted: true,
});

export type ListFilters = {
  status?: DeliveryQuery["status"];
  event?: string | undefined;
  endpoint?: string | undefined;
  data?: PayloadFields | undefined;
};

export type SearchFlags = ListFilters & {
  responseStatus?: string | undefined;
  error?: DeliveryQuery["error"];
  orderingKey?: string | undefined;
  sequence?: number | undefined;
};

/** Adds the options that every list of deliveries takes. */
export function withFilters(command: Command) {
  return command
    .option("--status <status>", "only pending, delivered, failed or cancelled deliveries", readStatus)
    .option("--event <type>", "only deliveries of this event type")
    .option("--endpoint <id>", "only deliveries to this endpoint")
    .option(
      "--data <field=value>",
      "only with this field in the payload; may be repeated, then all must match",
      field,
    );
}

/** Adds the options of `withFilters` and the options about attempts. */
export function withSearch(command: Command) {
  return withFilters(command)
    .option(
      "--response-status <status>",
      "only with this last HTTP status: `503`, `5xx`, or `0` for no response",
    )
    .option(
      "--error <error>",
      "only with an attempt that failed with this error, such as `timeout`",
      readError,
    )
    .option("--ordering-key <key>", "only with this ordering key")
    .option("--sequence <number>", "only with this number at its endpoint", wholeNumber(1));
}

/** Converts the options to the API's parameters. */
export function filtersOf({ status, event, endpoint, data }: ListFilters) {
  return { status, event_type: event, endpoint_id: endpoint, ...data } satisfies DeliveryQuery;
}

export function searchOf({ responseStatus, error, orderingKey, sequence, ...filters }: SearchFlags) {
  const found = { response_status: responseStatus, error, ordering_key: orderingKey, sequence };
  return { ...filtersOf(filters), ...found } satisfies DeliveryQuery;
}

export function field(text: string, before: PayloadFields = {}): PayloadFields {
  const [name, value] = named(text, "=");
  if (Object.hasOwn(before, `data.${name}`)) throw new InvalidArgumentError("A field can be given once.");
  return { ...before, [`data.${name}`]: value };
}
