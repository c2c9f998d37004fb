import { readFileSync } from "node:fs";
import { hasCode } from "../../runtime/errors";

/** What the system says where it has no such file, or shows it to nobody. */
const ABSENT = ["ENOENT", "ENOTDIR", "EACCES", "EPERM"];
/** Marks the routes in ipv6_route that end at this machine (RTF_LOCAL in linux/ipv6_route.h). */
const RTF_LOCAL = 0x8000_0000;

/**
 * Lists the networks that Linux routes to this machine itself; none on other systems. They are more than the interfaces
 * show: load balancers of clouds add their addresses as routes alone, and an interface without a carrier is not listed
 * though its address answers.
 */
export function localNetworks(): string[] {
  return [...localIn4(read("/proc/net/fib_trie")), ...localIn6(read("/proc/net/ipv6_route"))];
}

/** Of the tables Main and Local: in others, transparent proxies route everything to this machine. */
export function localIn4(fibTrie: string): string[] {
  const tables = fibTrie.split(/^(?=\S)/m).filter((table) => /^(Main|Local):/.test(table));
  const leaves = tables.flatMap((table) => table.split("|-- ").slice(1));
  return leaves.flatMap((leaf) => {
    const [address = ""] = leaf.split("\n");
    return [...leaf.matchAll(/\/(\d+) host LOCAL/g)].map(([, bits = ""]) => `${address}/${bits}`);
  });
}

/** All tables are in one list here, so a route for everything is left out. */
export function localIn6(ipv6Route: string): string[] {
  return ipv6Route.split("\n").flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [address = "", length = "", flags = ""] = [fields[0], fields[1], fields[8]];
    const isLocal = length !== "00" && (Number.parseInt(flags, 16) & RTF_LOCAL) !== 0;
    return isLocal ? [`${address.match(/.{4}/g)?.join(":")}/${Number.parseInt(length, 16)}`] : [];
  });
}

/** Fails for want of a file descriptor or memory, rather than let our own addresses pass for others'. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, ...ABSENT)) return "";
    throw error;
  }
}
