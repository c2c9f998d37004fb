export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "cancelled"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const CANCEL_REASONS = [
  "endpoint_deleted",
  "event_filter",
  "requested",
  "erased",
  "forgery_refused",
] as const;
/** The reasons for which a delivery ends without a success or a failed attempt. */
export const END_REASONS = [...CANCEL_REASONS, "expired"] as const;
export type EndReason = (typeof END_REASONS)[number];
