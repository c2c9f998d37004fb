/** Returns the memory of a process in MiB. */
export async function residentMiB(pid: number): Promise<number> {
  const text = await Bun.$`ps -o rss= -p ${pid}`.text();
  return Number(text) / 1_024;
}
