/** Ends an exchange from outside, at its deadline. */
export class Deadline {
  private hasCome = false;
  private stop: () => void = () => {};

  get hasPassed(): boolean {
    return this.hasCome;
  }

  /** The deadline has come. */
  expire(): void {
    if (this.hasCome) return;
    this.hasCome = true;
    this.stop();
  }

  /** What ends the work at hand, in place of what was given before; called now if it has been cut. */
  onPassed(stop: () => void): void {
    this.stop = stop;
    if (this.hasCome) stop();
  }

  /** `work`, or a rejection once cut; what becomes of `work` after that is nobody's concern. */
  race<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.onPassed(() => reject(new Error("cut")));
    return Promise.race([work, promise]);
  }
}
