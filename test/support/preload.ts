import { afterAll, setDefaultTimeout } from "bun:test";
import { startTestServers } from "./servers";

setDefaultTimeout(30_000);
afterAll(await startTestServers(), 30_000);
