/** Runs work of the same key one after the other, in the order in which it came. */
export class KeyedMutex {
  /** The last work of each key, which waits for all earlier work of that key. */
  private readonly last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
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
