/** Listens where the test says, and accepts nothing once it is stopped: its backlog fills, and the kernel swallows the rest. */
const [host = "", port = ""] = process.argv.slice(2);
Bun.listen({ hostname: host, port: Number(port), socket: { data: () => {} } });
console.log("listening");
