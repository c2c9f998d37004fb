/** Speaks TLS with certificates that take long to check, and prints its port. A separate process, so that its work is not measured. */
import { AUTHORITY, CERTIFICATE, KEY } from "./certificates";
import { answer, Receiver } from "./receiver";

const { port } = await Receiver.open({
  tls: { key: KEY, cert: CERTIFICATE + AUTHORITY.repeat(160), ALPNProtocols: ["http/1.1"] },
  onRequest: ({ socket }) => socket.write(answer(200)),
});
console.log(port);
