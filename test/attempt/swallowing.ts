/** Listens at an address, and accepts nothing once it is stopped. Its backlog fills, and the kernel swallows later connections. */
const [host = "", port = ""] = process.argv.slice(2);
Bun.listen({ hostname: host, port: Number(port), socket: { data: () => {} } });
console.log("listening");
