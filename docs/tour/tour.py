# region connect
import os

from hermod import Hermod

hermod = Hermod("http://127.0.0.1:3000", os.environ["HERMOD_KEY"])
# endregion

# region retry
for waiting in hermod.backlog()["data"]:
    answer = hermod.endpoints.retry(waiting["endpoint_id"])  # the first one, now
    print(waiting["endpoint_id"], waiting["pending"], answer["retried"])
# endregion

# region failed
failed = hermod.webhooks.list(status="failed", limit=20)["data"]
for delivery in failed:
    print(delivery["id"], delivery["event"], delivery["response_status"])
# endregion

# region iterate
for delivery in hermod.webhooks.all(data={"order": "4711"}):
    print(delivery["id"], delivery["status"])
# endregion

failed_id = failed[0]["id"]
# region resend
again = hermod.webhooks.resend(failed_id)
job = hermod.webhooks.resend_many(filter={"status": "failed", "event_type": "order.paid"})
print(again["id"], job["id"])
# endregion

# region create-endpoint
endpoint = hermod.endpoints.create(url="http://127.0.0.1:4000/hooks", event_filter="user.*")
print(endpoint["id"], endpoint["signing_secret"])  # the secret is shown once
# endregion

# region publish
event = hermod.events.publish(event="user.created", data={"id": 1})
print(event["id"], len(event["deliveries"]))
# endregion

# region send
sent = hermod.webhooks.send(
    endpoint_id=endpoint["id"],
    event="user.renamed",
    data={"id": 1},
    idempotency_key="user-1-renamed",  # makes a repeat safe
)
print(sent["id"], sent["status"])
# endregion

# region follow
for delivery in hermod.webhooks.follow(start="start"):
    print(delivery["event"], delivery["status"])
    break  # without it, the loop goes on for ever
# endregion

# region pull-endpoint
pulled = hermod.endpoints.create(delivery="pull", event_filter="parcel.*")
key = hermod.endpoints.create_receiver_key(pulled["id"], name="Warehouse")["key"]
# endregion

# region send-parcel
hermod.events.publish(event="parcel.sent", data={"parcel": 1})
# endregion

# region receive
receiver = Hermod("http://127.0.0.1:3000", key)
for webhook in receiver.receive(pulled["id"], until_empty=True):
    print(webhook.sequence, webhook.event)  # acknowledged when the loop goes on
# endregion

# region event-type
schema = {"required": ["id"], "properties": {"id": {"type": "integer"}}}
hermod.event_types.put_schema("user.created", schema=schema)
# endregion

# region errors
from hermod import HermodError

try:
    hermod.events.publish(event="user.created", data={"id": "one"})
except HermodError as error:
    print(error.status, error.code, error.request_id)
# endregion

# region portal
link = hermod.create_portal_session(capabilities=["view", "retry"])
print(link["url"])
# endregion

body = os.environ["WEBHOOK_BODY"].encode()
headers = {
    "webhook-id": os.environ["WEBHOOK_ID"],
    "webhook-timestamp": os.environ["WEBHOOK_TIMESTAMP"],
    "webhook-signature": os.environ["WEBHOOK_SIGNATURE"],
}
# region verify
from hermod import verify

webhook = verify(body, headers, os.environ["WEBHOOK_SECRET"])  # raises if it is not genuine
print(webhook.id)
# endregion
