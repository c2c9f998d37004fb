import { BASE_PATH } from "./base-path";

/** The choice is stored for a year in a cookie, which the server reads for the first paint. */
const KEPT_SECONDS = 31_536_000;

/** Returns the theme that is shown: the chosen one, else the one that the browser prefers. */
export function currentTheme(): "light" | "dark" {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Switches between light and dark, whatever the browser prefers. */
export function toggleTheme(): void {
  const root = document.documentElement;
  const next = currentTheme() === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  const [, area = ""] = location.pathname.slice(BASE_PATH.length).split("/");
  document.cookie = `hermod-theme=${next}; path=${BASE_PATH}/${area}; max-age=${KEPT_SECONDS}; samesite=strict`;
}
