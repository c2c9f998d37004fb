import type { EndpointId } from "../runtime/ids";

/** The endpoints that sends wait for by themselves, since someone else has them locked. */
export class Aside {
  /** How many sends wait for each. */
  private readonly waiting = new Map<EndpointId, number>();

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  has(id: EndpointId): boolean {
    return this.waiting.has(id);
  }

  /** A send waits from now on… */
  step(id: EndpointId): void {
    this.waiting.set(id, (this.waiting.get(id) ?? 0) + 1);
  }

  /** …until it has its answer. */
  return(id: EndpointId): void {
    const left = (this.waiting.get(id) ?? 0) - 1;
    if (left > 0) this.waiting.set(id, left);
    else this.waiting.delete(id);
  }
}
