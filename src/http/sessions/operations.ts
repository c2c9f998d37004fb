import { SESSION, SESSIONS_PER_KEY } from "../../sessions/sessions";
import { DELETED_ANSWER } from "../deletion";
import { FAILED_SIGN_INS_PER_MINUTE } from "../edge/failure-limit";
import { operation } from "../openapi/operation";
import { ref } from "../openapi/schema";
import { CSRF_HEADER } from "./cookie";
import { SESSION_EXAMPLE } from "./model";

const tag = "Account";
const session = { schema: ref("Session"), example: SESSION_EXAMPLE };

export const begin = operation({
  audit: { shows: [] },
  id: "createSession",
  permission: null,
  isSignIn: true,
  takesKey: false,
  tag,
  summary: "Begin a session in a browser",
  description:
    "For pages of this origin. Send the API key as `Authorization: Bearer`; the answer sets a cookie that works like the " +
    `key, and that no script can read. The session ends after ${SESSION.hours} hours, after ${SESSION.idleMinutes} minutes ` +
    "without a request, and within five seconds of its key. Changes by the cookie need the header " +
    `\`${CSRF_HEADER}\`, and \`Sec-Fetch-Site: same-origin\`, which browsers send over https and on localhost. A request with ` +
    `\`Authorization\` ignores the cookie. At most ${SESSIONS_PER_KEY} sessions per key: one more ends the oldest. After ` +
    `${FAILED_SIGN_INS_PER_MINUTE} failed attempts a minute, an address gets a 429.`,
  success: { status: 201, description: "The session.", ...session },
});

export const get = operation({
  id: "getSession",
  permission: null,
  tag,
  summary: "Get the session of this request",
  success: { status: 200, description: "The session.", ...session },
  errors: [404],
});

export const end = operation({
  audit: { shows: [] },
  id: "deleteSession",
  permission: null,
  tag,
  summary: "End the session of this request",
  description: "Takes effect everywhere within five seconds, and removes the cookie.",
  success: DELETED_ANSWER,
  errors: [404],
});
