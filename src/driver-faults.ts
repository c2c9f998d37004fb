import { describeError, type Log } from "./runtime/log";

const DRIVER = /[\\/]postgres[\\/](src|cjs[\\/]src)[\\/]connection\.js/;

/**
 * Keeps the process alive over one fault of postgres.js 3.4.9: when a connection breaks between a query and the timer
 * that sends it, that timer writes to a socket that is gone, and what it throws nobody can catch. The query has its
 * deadline and the pool is replaced, so nothing more need be done. Any other uncaught error still ends the process.
 */
export function surviveDriverFaults(log: Log): void {
  process.on("uncaughtException", (error) => {
    if (isDriverFault(error)) {
      log.warn(describeError(error), "a Postgres connection broke while it was written to");
      return;
    }
    log.fatal({ stack: error instanceof Error ? error.stack : String(error) }, "an error that nobody caught");
    process.exit(1);
  });
}

function isDriverFault(error: unknown): boolean {
  return error instanceof TypeError && DRIVER.test(error.stack ?? "");
}
