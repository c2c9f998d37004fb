import type { Socket } from "node:net";
import { ConnectionLost } from "../failure";
import { orOwnFailure, orOwnFailureToConnect } from "../own-failure";

/** Destroys a socket when its connection is given up, or never comes about. */
export type Keep = <S extends Socket>(socket: S) => S;

/** Resolves at the event. Rejects if the socket fails or closes first, with `OwnFailure` if this machine is the cause. */
export function socketEvent(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  const judge = event === "connect" ? orOwnFailureToConnect : orOwnFailure;
  return new Promise((resolve, reject) => {
    socket
      .once(event, resolve)
      .once("error", (error) => reject(judge(error)))
      .once("close", () => reject(new ConnectionLost()));
  });
}
