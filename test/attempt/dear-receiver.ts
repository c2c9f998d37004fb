/** Speaks TLS with certificates that take long to check, and prints its port. A process of its own: its work is not to count. */
import { AUTHORITY, CERTIFICATE, KEY } from "./certificates";
import { answer, Receiver } from "./receiver";

const { port } = await Receiver.open({
  tls: { key: KEY, cert: CERTIFICATE + AUTHORITY.repeat(160), ALPNProtocols: ["http/1.1"] },
  onRequest: ({ socket }) => socket.write(answer(200)),
});
console.log(port);
