/** Milliseconds, comparable between processes of this machine, finer than `Date.now()`. */
export function machineNow(): number {
  return performance.timeOrigin + performance.now();
}
