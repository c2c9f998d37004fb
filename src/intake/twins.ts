/** Lets requests that carry the same key go one after the other: the second then finds the key taken. */
export class Twins {
  private readonly underWay = new Map<string, Promise<unknown>>();

  async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    for (let twin = this.underWay.get(key); twin; twin = this.underWay.get(key)) {
      await twin.catch(() => {});
    }
    const result = work();
    this.underWay.set(key, result);
    try {
      return await result;
    } finally {
      this.underWay.delete(key);
    }
  }
}
