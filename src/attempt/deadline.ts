/** Ends an exchange at its deadline. */
export class Deadline {
  private hasCome = false;
  private stop: () => void = () => {};

  get hasPassed(): boolean {
    return this.hasCome;
  }

  /** The deadline has passed. */
  expire(): void {
    if (this.hasCome) return;
    this.hasCome = true;
    this.stop();
  }

  /** Sets what ends the current step, in place of the step before. Calls it now if the deadline has passed. */
  onPassed(stop: () => void): void {
    this.stop = stop;
    if (this.hasCome) stop();
  }

  /** Settles as `work` does, or rejects at the deadline; `work` is ignored from then on. */
  race<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.onPassed(() => reject(new Error("cut")));
    return Promise.race([work, promise]);
  }
}
