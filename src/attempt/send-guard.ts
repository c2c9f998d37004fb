/** Whether an attempt is still to be made, by whoever asked for it: what was true then may not be so when it could begin. */
export type SendGuard = {
  /** Asked while the attempt waits for a place. Once it says no, it waits no longer. */
  stillWanted(): boolean;
  /** Asked right before the connection is used. A yes is the beginning: the request goes out then. */
  tryStart(): boolean;
};
