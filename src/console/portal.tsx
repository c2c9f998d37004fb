import { render } from "preact";
import { PortalApp } from "./portal/app";
import { followAppearance } from "./portal/appearance";
import { onNewLink, reportHeight } from "./portal/embedding";
import { openSession } from "./portal/session";
import { linkBelowBasePath } from "./shared/base-path";
import { followLinks } from "./shared/location";

followAppearance();
linkBelowBasePath();
followLinks("/portal/");
onNewLink((url) => void openSession(url));
reportHeight();
void openSession();

const root = document.getElementById("app");
if (root) render(<PortalApp />, root);
