import { afterAll, setDefaultTimeout } from "bun:test";
import { stopTestServers } from "./servers";

setDefaultTimeout(30_000);
afterAll(stopTestServers, 30_000);
