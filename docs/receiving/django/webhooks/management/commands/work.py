import time

from django.core.management.base import BaseCommand
from django.db import transaction

from webhooks.models import Webhook


class Command(BaseCommand):
    help = "Works on webhooks until it is ended"

    # 5. Work afterwards, in order. A failure holds back what follows until it succeeds.
    def handle(self, **options):
        while True:
            try:
                for webhook in Webhook.objects.filter(done=False, sequence__gt=0).order_by("sequence"):
                    with transaction.atomic():
                        self.stdout.write(f"{webhook.sequence} {webhook.event} {webhook.body}")
                        Webhook.objects.filter(id=webhook.id).update(done=True)
            except Exception as error:
                self.stderr.write(f"The work failed, and is tried again: {error!r}")
            time.sleep(1)
