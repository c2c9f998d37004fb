import type { Socket } from "node:net";
import { ConnectionLost } from "./failure";

/** Destroys a socket when its connection is given up, or never comes about. */
export type Keep = <S extends Socket>(socket: S) => S;

/** Resolves when the event comes; rejects when the socket fails or closes before. */
export function socketEvent(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    socket
      .once(event, resolve)
      .once("error", reject)
      .once("close", () => reject(new ConnectionLost()));
  });
}
