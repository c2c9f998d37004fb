import { Elysia } from "elysia";
import type { Authenticator } from "../../accounts/authentication/authenticator";
import type { Principal } from "../../accounts/authentication/principal";
import type { ReceiverKeys } from "../../accounts/receiver-keys";
import { answer } from "../../api/answer";
import { DELETED, DELETED_ANSWER } from "../../api/deletion";
import type { Guard } from "../../api/guard";
import { idInPath, noSuch } from "../../api/ids";
import { answerWhole, DATA } from "../../api/lists/whole-list";
import { operation } from "../../api/openapi/operation";
import { created, type Posting } from "../../api/posting";
import type { PageRequest } from "../../db/page";
import type { KeyId } from "../../domain/ids";
import { RECEIVER_KEYS } from "../../domain/receiver-key";
import type { Endpoint, Endpoints } from "../../endpoints/endpoint";
import { refusalOfReceiverKey } from "../../sessions/portal-reach";
import { ENDPOINT_EXAMPLE } from "../endpoints/endpoint";
import { refusalOfFeed, refuse } from "../endpoints/writing";
import {
  CreatedReceiverKey,
  CreateReceiverKey,
  RECEIVER_KEY_EXAMPLE,
  ReceiverKeyList,
  viewOfReceiverKey,
} from "./receiver-key";

const tag = "Endpoints";
const endpointPath = {
  id: { description: "The endpoint's id.", example: ENDPOINT_EXAMPLE.id, external: "ep" },
} as const;

export type ReceiverKeyOptions = {
  receiverKeys: ReceiverKeys;
  endpoints: Pick<Endpoints, "get">;
  authenticator: Pick<Authenticator, "forget">;
  posting: Posting;
};

/** /endpoints/:id/receiver-keys */
export function receiverKeyRoutes(guard: Guard, options: ReceiverKeyOptions) {
  const { receiverKeys, endpoints, authenticator, posting } = options;
  const find = async ({ accountId }: Principal, id: string) => {
    const endpoint = await endpoints.get(accountId, idInPath("ep", id));
    if (endpoint === null) throw noSuch("ep");
    return endpoint;
  };
  const findToChange = async (principal: Principal, id: string) => {
    const endpoint = await find(principal, id);
    refuse(refusalOfFeed(principal, endpoint.feedAccounts));
    return endpoint;
  };
  return new Elysia({ prefix: "/endpoints/:id/receiver-keys" })
    .use(guard)
    .get(
      "",
      async ({ call: { principal, allowance }, params }) => {
        const of = ownedOf(await find(principal, params.id));
        const read = (asked: PageRequest<KeyId>) => receiverKeys.page(of, asked);
        return answerWhole(allowance, { keyOf: ({ id }) => id, read, view: viewOfReceiverKey }, DATA);
      },
      operation({
        id: "listReceiverKeys",
        permission: "endpoints:read",
        portal: { needs: "view", also: "manage_endpoints", concerns: "endpoint" },
        tag,
        summary: "List an endpoint's receiver keys",
        description: "Newest first, without the keys' texts.",
        path: endpointPath,
        success: {
          status: 200,
          description: "All keys.",
          schema: ReceiverKeyList,
          example: { data: [RECEIVER_KEY_EXAMPLE] },
        },
        errors: [404],
      }),
    )
    .post(
      "",
      ({ call, params, request, body }) =>
        posting.handleSecret(call, request, () => {
          const { principal } = call;
          const portal = principal.session?.portal ?? null;
          refuse(portal && refusalOfReceiverKey(portal));
          return async (sql) => {
            const of = ownedOf(await findToChange(principal, params.id));
            const made = await receiverKeys.create(sql, of, body.name ?? null);
            if (made === null) throw noSuch("ep");
            return created({ ...viewOfReceiverKey(made.record), key: made.key });
          };
        }),
      operation({
        id: "createReceiverKey",
        permission: "endpoints:write",
        // The key's holder gets payloads, hence `also`.
        portal: { needs: "manage_endpoints", also: "view_payloads", concerns: "endpoint" },
        audit: { shows: ["name"] },
        tag,
        summary: "Create a receiver key",
        description:
          "A key for the endpoint's receiver. It reads the deliveries of this endpoint, their payloads too, and does nothing else. " +
          "The key's text is returned only in this answer. The key belongs to the endpoint: it stays when the key that created it " +
          "ends, and ends with the endpoint. " +
          `At most ${RECEIVER_KEYS.most} keys per endpoint; one more gets a 409.`,
        path: endpointPath,
        body: { schema: CreateReceiverKey, example: { name: RECEIVER_KEY_EXAMPLE.name }, isOptional: true },
        success: {
          status: 201,
          description: "The key, with its text.",
          schema: CreatedReceiverKey,
          example: { ...RECEIVER_KEY_EXAMPLE, key: "rcv_3f9c…" },
        },
        errors: [404],
      }),
    )
    .delete(
      "/:key_id",
      async ({ call: { principal, allowance }, params }) => {
        const of = ownedOf(await findToChange(principal, params.id));
        const isRevoked = await receiverKeys.revoke(of, idInPath("key", params.key_id));
        if (!isRevoked) throw noSuch("key");
        authenticator.forget();
        return answer(allowance, 200, DELETED);
      },
      operation({
        id: "deleteReceiverKey",
        permission: "endpoints:write",
        portal: { needs: "manage_endpoints", concerns: "endpoint" },
        audit: { shows: [] },
        tag,
        summary: "Revoke a receiver key",
        description: "Takes effect everywhere within five seconds.",
        path: { ...endpointPath, key_id: { description: "The key's id.", example: RECEIVER_KEY_EXAMPLE.id } },
        success: DELETED_ANSWER,
        errors: [404],
      }),
    );
}

function ownedOf({ accountId, id: endpointId }: Endpoint) {
  return { accountId, endpointId };
}
