import { AccountTurns } from "../../runtime/account-turns";

export type { Turn } from "../../runtime/account-turns";

/** Pieces of searches of a kind under way in a process, of an account one: other connections are for what is quick. */
const AT_ONCE = 2;

/** Whose turn it is to look through deliveries. */
export class SearchTurns extends AccountTurns {
  constructor() {
    super(AT_ONCE);
  }
}
