import { connect, createServer, type Server } from "node:net";

/** Gives each new connection to the next address, like a Service of Kubernetes. Open connections stay where they are. */
export class Balancer implements AsyncDisposable {
  private readonly targets: string[] = [];
  private next = 0;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((client) => {
      const { hostname, port } = new URL(this.pick());
      const target = connect(Number(port), hostname);
      client.pipe(target).pipe(client);
      client.on("error", () => target.destroy());
      target.on("error", () => client.destroy());
    });
  }

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    await new Promise<void>((resolve) => balancer.server.listen(0, "127.0.0.1", resolve));
    return balancer;
  }

  get url(): string {
    const address = this.server.address();
    if (typeof address !== "object" || address === null) throw new Error("the balancer does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  add(url: string): void {
    this.targets.push(url);
  }

  remove(url: string): void {
    this.targets.splice(this.targets.indexOf(url), 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
  }

  private pick(): string {
    const target = this.targets[this.next++ % this.targets.length];
    if (target === undefined) throw new Error("no process is ready");
    return target;
  }
}
