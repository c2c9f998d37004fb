/**
 * Domains whose names lead into a network and never to the Internet. The proxy looks names up in its own network,
 * so there they would be open to everybody.
 */
const INTERNAL_DOMAINS: ReadonlySet<string> = new Set([
  "localhost", // RFC 6761, 6.3
  "local", // RFC 6762, 3
  "internal", // reserved by ICANN in 2024; clouds serve metadata below it
  "home.arpa", // RFC 8375
  ...["intranet", "private", "corp", "home", "lan"], // RFC 6762, G: in wide use, and never delegated
  "localdomain",
  "svc", // Kubernetes, whose search lists complete it
]);

/** Whether a name is of one label, which search lists complete, of an internal domain, or none that can be judged. */
export function isInternalName(name: string): boolean {
  const labels = name.toLowerCase().split(".");
  if (labels.length === 1 || labels.includes("")) return true;
  return INTERNAL_DOMAINS.has(labels.slice(-1).join(".")) || INTERNAL_DOMAINS.has(labels.slice(-2).join("."));
}
