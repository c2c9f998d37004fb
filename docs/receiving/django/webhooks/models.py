from django.db import models


class Webhook(models.Model):
    id = models.TextField(primary_key=True)
    sequence = models.BigIntegerField()
    event = models.TextField(null=True)
    body = models.TextField()
    done = models.BooleanField(default=False)
