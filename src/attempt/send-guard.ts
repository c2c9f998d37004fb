/** Says whether an attempt may still be made. Between asking for it and sending, it may have become unwanted. */
export type SendGuard = {
  /** Asked while the attempt waits for a slot. A no ends the wait. */
  stillWanted(): boolean;
  /** Asked when a connection is ready. After a yes the request goes out at once. */
  tryStart(): boolean;
};
