import type { ExchangeError } from "../exchange";

export type TargetErrorCode = Extract<
  ExchangeError,
  "invalid_url" | "https_required" | "blocked_address" | "dns"
>;

/** A target that must not or can't be connected to. */
export class TargetError extends Error {
  constructor(
    readonly code: TargetErrorCode,
    /** The reason, for `error_detail`. */
    readonly detail: string | null,
  ) {
    super(detail === null ? code : `${code}: ${detail}`);
    this.name = "TargetError";
  }
}
