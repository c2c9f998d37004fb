export type TargetErrorCode = "invalid_url" | "https_required" | "blocked_address" | "dns" | "dns_timeout";

/** A target that must not or can't be connected to. */
export class TargetError extends Error {
  constructor(
    readonly code: TargetErrorCode,
    message: string,
  ) {
    super(message);
    this.name = "TargetError";
  }
}
