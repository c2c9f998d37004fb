/** The choice is stored for a year in a cookie, which the server reads for the first paint. */
const KEPT_SECONDS = 31_536_000;

/** Switches between light and dark, whatever the browser prefers. */
export function toggleTheme(): void {
  const root = document.documentElement;
  const known = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const next = known === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  const area = location.pathname.split("/")[1] ?? "";
  document.cookie = `hermod-theme=${next}; path=/${area}; max-age=${KEPT_SECONDS}; samesite=strict`;
}
