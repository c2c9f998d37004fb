import {
  bytesOf,
  hexOf,
  type LoginRequest,
  loginCode,
  loginRequestIn,
  SEALING,
} from "../../domain/console-login";
import { ActionButton } from "../pages/actions";
import { call } from "../shared/api";
import { Lead } from "../shared/lead";
import { Loaded } from "../shared/loaded";
import { params } from "../shared/location";
import { Card, Empty } from "../shared/parts";
import { useResource } from "../shared/resource";
import { visible } from "../shared/visible-text";
import { can, type Permission, session } from "./session";
import { Page } from "./shell";

/** What the key of a command line may never do: act beyond the account. */
const WITHHELD: readonly Permission[] = ["accounts:act", "admin"];

/** Gives the command line of this machine a key, once the person has confirmed it. */
export function Connect() {
  return (
    <Page crumbs={[{ label: "Command line" }]}>
      <Asked />
    </Page>
  );
}

function Asked() {
  const request = loginRequestIn(params.value);
  if (request === null)
    return <Empty isPage title="This link is not whole. Run hermod login again, and open its link." />;
  if (!can("keys:write"))
    return <Empty isPage title="You may not create keys. Ask for one, and paste it in the terminal." />;
  if (crypto.subtle === undefined)
    return (
      <Empty isPage title="This needs https or localhost. Create a key, and paste it in the terminal." />
    );
  return <Confirm request={request} />;
}

function Confirm({ request }: { request: LoginRequest }) {
  const code = useResource(`connect ${request.publicKey}`, () => loginCode(request));
  const machine = visible(request.machine) || "this machine";
  return (
    <>
      <Lead
        title="Let the command line use this account?"
        intro={`It gets a key of its own, with your permissions in the account. Allow it only if you have just run hermod login on ${machine}.`}
      />
      <Card label="Confirmation">
        <Loaded resource={code} bars={1} height={56}>
          {(shown) => (
            <div class="note">
              <p>
                The terminal must show the code <strong class="mono">{shown}</strong>.
              </p>
              <ActionButton icon="check" label="Allow" act={() => allow(request)} />
            </div>
          )}
        </Loaded>
      </Card>
    </>
  );
}

/** Makes a key, and goes with it, encrypted, to the command line. */
async function allow({ port, state, publicKey, machine }: LoginRequest): Promise<null> {
  const receiver = await crypto.subtle.importKey("spki", bytesOf(publicKey), SEALING, false, ["encrypt"]);
  const permissions = (session.value?.permissions ?? []).filter((each) => !WITHHELD.includes(each));
  const body = { name: `hermod login on ${machine || "a machine"}`, permissions };
  const { key } = await call("post", "/v1/keys", { body });
  const sealed = await crypto.subtle.encrypt(SEALING.name, receiver, new TextEncoder().encode(key));
  const answer = new URLSearchParams({ state, sealed: hexOf(new Uint8Array(sealed)) });
  location.assign(`http://127.0.0.1:${port}/?${answer}`);
  return null;
}
