import { buildBundle } from "./build";

// Builds once and posts the bundle. `loadBundle` ends the thread, and gets a failure as the worker's error.
postMessage(await buildBundle());
