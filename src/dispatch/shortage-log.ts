import type { Shortage } from "../attempt/own-failure";
import type { Clock } from "../runtime/clock";
import type { Log } from "../runtime/log";

/** Least time between two lines about the same shortage, milliseconds. */
const EVERY_MS = 60_000;

const LINES: Readonly<Record<Shortage, string>> = {
  files:
    "no connection to receivers: too many open files; deliveries stay pending and are tried again within 2 s; " +
    "raise the limit on open files (ulimit -n) or lower HERMOD_MAX_IN_FLIGHT",
  memory:
    "no connection to receivers: the kernel has no memory for sockets; deliveries stay pending and are tried again within " +
    "2 s; give the machine more memory, raise net.ipv4.tcp_mem or lower HERMOD_MAX_IN_FLIGHT",
  ports:
    "no connection to receivers: no local port is free; deliveries stay pending and are tried again within 2 s; " +
    "widen net.ipv4.ip_local_port_range or lower HERMOD_MAX_IN_FLIGHT",
};

/** Logs that this machine lacks something for connections, seldom, with how many attempts could not be made since. */
export class ShortageLog {
  private readonly seen = new Map<Shortage, { loggedAt: number; attempts: number }>();

  constructor(
    private readonly log: Pick<Log, "error">,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  note(shortage: Shortage): void {
    const now = this.clock.monotonic();
    const seen = this.seen.get(shortage) ?? { loggedAt: Number.NEGATIVE_INFINITY, attempts: 0 };
    this.seen.set(shortage, seen);
    seen.attempts++;
    if (now - seen.loggedAt < EVERY_MS) return;
    this.log.error({ attempts: seen.attempts }, LINES[shortage]);
    seen.loggedAt = now;
    seen.attempts = 0;
  }
}
