# region connect
API=http://127.0.0.1:3000/v1
say() { curl -s "$API$1" -H "Authorization: Bearer $HERMOD_KEY" -H 'Content-Type: application/json' "${@:2}"; echo; }
id_of() { sed -E "s/.*\"id\":\"($1_[0-9a-z]+)\".*/\1/"; }
# endregion

# region retry
WAITING=$(say /backlog | sed -E 's/.*"endpoint_id":"(ep_[0-9a-z]+)".*/\1/')
say /endpoints/$WAITING/retry -X POST   # the first one, now
# endregion

# region failed
say '/webhooks?status=failed&limit=20'
# endregion

# region iterate
say '/webhooks?data.order=4711&limit=100'   # the next page: &cursor=…, as the answer says
# endregion

FAILED=$(say '/webhooks?status=failed&limit=1' | id_of wh)
# region resend
say /webhooks/$FAILED/resend -X POST
say /webhooks/resend -d '{"filter": {"status": "failed", "event_type": "order.paid"}}'
# endregion

# region create-endpoint
ENDPOINT=$(say /endpoints -d '{"url": "http://127.0.0.1:4000/hooks", "event_filter": "user.*"}' | id_of ep)
echo $ENDPOINT
# endregion

# region publish
say /events -d '{"event": "user.created", "data": {"id": 1}}'
# endregion

# region send
say /webhooks -d '{"endpoint_id": "'$ENDPOINT'", "event": "user.renamed", "data": {"id": 1}}' \
  -H 'Idempotency-Key: user-1-renamed'   # makes a repeat safe
# endregion

# region follow
say '/webhooks/tail?iterator=start' --no-buffer --max-time 1   # without --max-time, it goes on for ever
# endregion

# region pull-endpoint
PULLED=$(say /endpoints -d '{"delivery": "pull", "event_filter": "parcel.*"}' | id_of ep)
RECEIVER_KEY=$(say /endpoints/$PULLED/receiver-keys -d '{"name": "Warehouse"}' | sed -E 's/.*"key":"([^"]+)".*/\1/')
# endregion

# region send-parcel
say /events -d '{"event": "parcel.sent", "data": {"parcel": 1}}'
# endregion

# region receive
receive() { HERMOD_KEY=$RECEIVER_KEY say /endpoints/$PULLED/receive -d "$1"; }
PAGE=$(receive '{"limit": 100, "wait": 20}'); echo "$PAGE"
RECEIPT=$(echo "$PAGE" | sed -E 's/.*"receipt":"([^"]+)".*/\1/')
receive '{"receipt": "'$RECEIPT'", "ack_through": 1, "wait": 0}'
# endregion

# region event-type
say /event-types/user.created/schema -X PUT \
  -d '{"schema": {"required": ["id"], "properties": {"id": {"type": "integer"}}}}'
# endregion

# region errors
say /events -d '{"event": "user.created", "data": {"id": "one"}}' -D -   # with the headers, such as x-request-id
# endregion

# region portal
say /portal-sessions -d '{"capabilities": ["view", "retry"]}'
# endregion

# region verify
KEY_HEX=$(printf %s "${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
printf %s "v1,"; printf %s "$WEBHOOK_ID.$WEBHOOK_TIMESTAMP.$WEBHOOK_BODY" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY_HEX" -binary | base64   # as in webhook-signature, if it is genuine
# endregion
