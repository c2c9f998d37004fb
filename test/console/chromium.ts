import { existsSync } from "node:fs";

/** Where systems put Chromium or Chrome. The headless shell, Chromium without its own window, takes half the CPU. */
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** The browser of `HERMOD_CHROMIUM`, else one that the system has; null without one. */
export const CHROMIUM = process.env.HERMOD_CHROMIUM || (PLACES.find((path) => existsSync(path)) ?? null);

if (CHROMIUM === null) {
  process.stderr.write(
    "\n*** No Chromium found: the tests of the console and the portal are SKIPPED, not passed. ***\n" +
      "*** Install chromium, or set HERMOD_CHROMIUM to the path of one. ***\n\n",
  );
}
