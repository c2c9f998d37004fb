import { render } from "preact";
import { App } from "./console/app";
import { listenForKeys } from "./console/palette";
import { openSession } from "./console/session";
import { linkBelowBasePath } from "./shared/base-path";
import { followLinks } from "./shared/location";

linkBelowBasePath();
followLinks("/console/");
listenForKeys();
void openSession();

const root = document.getElementById("app");
if (root) render(<App />, root);
