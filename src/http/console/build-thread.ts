import { buildBundle } from "./build";

// Builds once and posts the bundle; `loadBundle` ends the thread. A failure reaches it as the worker's error.
postMessage(await buildBundle());
