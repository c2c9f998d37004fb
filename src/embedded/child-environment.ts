/**
 * Returns the environment of a child process: the paths of this process and nothing else. Ours holds secrets, which the
 * user that the child runs as could read in /proc.
 */
export function childEnvironment(): Record<string, string> {
  const { PATH = "", LD_LIBRARY_PATH } = process.env;
  return { PATH, LC_ALL: "C", TZ: "UTC", ...(LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH }) };
}
