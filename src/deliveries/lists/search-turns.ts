import { AccountTurns } from "../../runtime/queues/account-turns";

export type { Turn } from "../../runtime/queues/account-turns";

/**
 * Searches of a kind that run at once in a process, one per account. The remaining connections serve quick requests.
 */
const AT_ONCE = 2;

/** Decides which account may search its deliveries next. */
export class SearchTurns extends AccountTurns {
  constructor() {
    super(AT_ONCE);
  }
}
