import os

from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from hermod import WebhookVerificationError, verify

from .models import Webhook

SECRETS = os.environ["WEBHOOK_SECRET"].split()  # several while one is being replaced
LARGEST_BODY = 2 * 1_048_576


@csrf_exempt
@require_POST
def receive(request):
    # 1. Read the body as bytes, up to a limit.
    if int(request.headers.get("content-length") or 0) > LARGEST_BODY:
        return HttpResponse(status=413)
    body = request.body
    # 2. Verify the signature.
    try:
        webhook = verify(body, request.headers, SECRETS)
    except WebhookVerificationError as error:
        return HttpResponse(str(error), status=401)
    # 3. Store the webhook under its id, unless it came before.
    fields = {"sequence": webhook.sequence, "event": webhook.event, "body": body.decode()}
    Webhook.objects.get_or_create(id=webhook.id, defaults=fields)
    # 4. Answer 2xx.
    return HttpResponse(status=204)
