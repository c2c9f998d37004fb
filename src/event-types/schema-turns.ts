import { AccountTurns } from "../runtime/account-turns";
import { QueueFull } from "../runtime/batcher";
import { type Clock, sleep, systemClock } from "../runtime/clock";
import type { AccountId } from "../runtime/ids";

/** After each schema all else has the process for so many times as long as it took. */
const REST = 3;
/** How long a schema may wait for its turn, milliseconds. */
const MAX_WAIT_MS = 10_000;

/**
 * Whose turn it is to have a schema compiled, which can't be interrupted: one at a time in the process, and accounts take
 * turns. However many schemas wait, whoever has none is held up by one, and no more than a quarter of the time.
 */
export class SchemaTurns {
  private readonly turns = new AccountTurns(1);

  constructor(
    private readonly clock: Clock = systemClock,
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {}

  /** Does the work when its turn comes. Rejects with what it throws, or `QueueFull` when too much is before it. */
  take<T>(accountId: AccountId, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const turn = this.turns.of(accountId)(async () => {
        const began = this.clock.monotonic();
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
        await sleep(this.clock, REST * (this.clock.monotonic() - began));
        return true;
      }, AbortSignal.timeout(this.maxWaitMs));
      turn.then((came) => came ?? reject(new QueueFull()));
    });
  }
}
