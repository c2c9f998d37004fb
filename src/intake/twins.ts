/** Lets requests that carry the same key go one after the other: the second then finds the key taken. */
export class Twins {
  /** The last one of each key, behind all that came before it. */
  private readonly last = new Map<string, Promise<unknown>>();

  async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key);
    const result = before ? before.then(work, work) : work();
    this.last.set(key, result);
    try {
      return await result;
    } finally {
      if (this.last.get(key) === result) this.last.delete(key);
    }
  }
}
