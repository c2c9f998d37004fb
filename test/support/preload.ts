import { afterAll, setDefaultTimeout } from "bun:test";
import { stopTestServers } from "./servers";

setDefaultTimeout(120_000);
afterAll(stopTestServers, 120_000);
