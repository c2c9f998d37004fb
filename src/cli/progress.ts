import type { Job } from "../client";

const WIDTH = 30;

/** A job's progress in a line: a bar where the total is known. */
export function progressLine({ progress, status }: Job): string {
  const { total, looked_at: seen, done } = progress;
  const counts = `${seen}${total === null ? "" : `/${total}`} looked at, ${done} sent again, ${status}`;
  if (total === null) return counts;
  const share = total === 0 ? 1 : Math.min(1, seen / total);
  const full = Math.round(share * WIDTH);
  return `[${"#".repeat(full)}${".".repeat(WIDTH - full)}] ${Math.floor(share * 100)} %  ${counts}`;
}
