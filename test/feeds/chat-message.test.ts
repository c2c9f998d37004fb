import { expect, test } from "bun:test";
import fc from "fast-check";
import { newId } from "../../src/domain/ids";
import {
  emailMessage,
  MAX_FACT_CHARACTERS,
  MAX_FACTS,
  slackMessage,
  teamsMessage,
} from "../../src/feeds/chat-message";
import {
  type FeedPayload,
  payloadOf,
  type ReportContext,
  type StoredReport,
} from "../../src/feeds/feed-event";

const DISABLED: FeedPayload = {
  type: "endpoint.disabled",
  timestamp: "2026-01-31T12:00:00.000Z",
  data: { id: "ep_1", url: "https://a.example/?x=<!channel>&y", reason: "gone", note: null },
};

test("a report has a readable title, its facts and its time", () => {
  expect(JSON.parse(slackMessage("endpoint.disabled", JSON.stringify(DISABLED)))).toEqual({
    text: "Endpoint disabled: https://a.example/?x=&lt;!channel&gt;&amp;y",
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      {
        type: "section",
        text: { type: "mrkdwn", text: "*Endpoint disabled*", verbatim: true },
        fields: [
          {
            type: "mrkdwn",
            text: "*url*\nhttps://a.example/?x=&lt;!channel&gt;&amp;y",
            verbatim: true,
          },
          { type: "mrkdwn", text: "*reason*\ngone", verbatim: true },
          { type: "mrkdwn", text: "*id*\nep_1", verbatim: true },
          { type: "mrkdwn", text: "*time*\n2026-01-31T12:00:00.000Z", verbatim: true },
        ],
      },
    ],
  });
});

test("Teams gets a card with text runs, which know no Markdown", () => {
  const { type, attachments } = JSON.parse(teamsMessage("endpoint.disabled", JSON.stringify(DISABLED)));
  expect({ type, attachments: attachments.length }).toEqual({ type: "message", attachments: 1 });
  const [{ contentType, content }] = attachments;
  expect(contentType).toBe("application/vnd.microsoft.card.adaptive");
  expect(content).toMatchObject({ type: "AdaptiveCard", version: "1.4" });
  for (const each of content.body) expect(each.type).toBe("RichTextBlock");
  const lines = content.body.map(({ inlines }: { inlines: { type: string; text: string }[] }) => {
    for (const each of inlines) expect(each.type).toBe("TextRun");
    return inlines.map(({ text }) => text).join("");
  });
  expect(lines).toEqual([
    "Endpoint disabled",
    "url: https://a.example/?x=<!channel>&y",
    "reason: gone",
    "id: ep_1",
    "time: 2026-01-31T12:00:00.000Z",
  ]);
});

test.each([
  [true, "1000"],
  [false, "1000 or more"],
])("a number whose count is complete (%p) is shown as %s", (behind_complete, words) => {
  const report = { ...DISABLED, type: "endpoint.blocked", data: { behind: 1000, behind_complete } };
  const { blocks } = JSON.parse(slackMessage("endpoint.blocked", JSON.stringify(report)));
  const facts = blocks[0].fields.map(({ text }: { text: string }) => text);
  expect(facts).toEqual([`*behind*\n${words}`, "*time*\n2026-01-31T12:00:00.000Z"]);
});

test("a report names account and endpoint first, ids last, and links to the console alone", () => {
  const console_url = "https://hermod.example/console/endpoints/ep_1?account=acc_1";
  const data = {
    id: "ep_1",
    reason: "gone",
    account_id: "acc_1",
    account_name: "Shop",
    description: "Orders",
    url: "u",
    console_url,
  };
  const report = JSON.stringify({ ...DISABLED, data });
  const names = (text: string) => text.replaceAll("*", "").split("\n")[0];
  const slack = (publicUrl: string | null) =>
    JSON.parse(slackMessage("endpoint.disabled", report, publicUrl)).blocks;
  const [section, link] = slack("https://hermod.example");
  expect(section.fields.map(({ text }: { text: string }) => names(text))).toEqual([
    "account name",
    "description",
    "url",
    "reason",
    "id",
    "account id",
    "time",
  ]);
  expect(link.text.text).toBe(`<${console_url}|Open in Hermod>`);
  const teams = JSON.parse(teamsMessage("endpoint.disabled", report, "https://hermod.example"));
  expect(teams.attachments[0].content.actions).toEqual([
    { type: "Action.OpenUrl", title: "Open in Hermod", url: console_url },
  ]);
  expect(emailMessage("endpoint.disabled", report, "https://hermod.example")).toEndWith(
    `\nOpen in Hermod: ${console_url}\n`,
  );
  // A sender may write an event like a report.
  for (const elsewhere of [null, "https://hermod.example.evil", "https://other.example"])
    expect(slack(elsewhere)).toHaveLength(1);
});

test("a message about an endpoint says whose it is, since when, how many wait, and where to look", () => {
  const [endpointId, deliveryId] = [fc.constant(newId("ep")), fc.constant(newId("wh"))];
  const url = fc.constant("https://a.example/hooks");
  const counted = fc.record({ count: fc.nat(1_000), complete: fc.boolean() });
  const word = fc.constantFrom("order.paid", "no_answer", "gone");
  const time = fc.nat(Date.parse("2026-01-31T12:00:00.000Z"));
  const failing = { endpointId, url, failingSince: time };
  const report = fc.oneof(
    fc.record({
      event: fc.constant("delivery.failed"),
      facts: fc.record({
        deliveryId,
        endpointId,
        event: fc.option(word),
        attemptCount: fc.nat(20),
        responseStatus: fc.option(fc.constantFrom(0, 500)),
        error: fc.option(word),
        errorDetail: fc.option(word),
        failureReason: fc.option(fc.constant("expired"), { nil: undefined }),
      }),
    }),
    fc.record({
      event: fc.constantFrom("endpoint.failing", "endpoint.recovered"),
      facts: fc.record(failing),
    }),
    fc.record({
      event: fc.constant("endpoint.disabled"),
      facts: fc.record({ ...failing, reason: fc.constant("failing"), deliveryId: fc.option(deliveryId) }),
    }),
    fc.record({
      event: fc.constant("endpoint.blocked"),
      facts: fc.record({
        endpointId,
        url,
        deliveryId,
        orderingKey: fc.option(word),
        since: time,
        reason: fc.option(word),
        behind: counted,
      }),
    }),
    fc.record({
      event: fc.constant("endpoint.expiring"),
      facts: fc.record({ endpointId, url, deliveryId, retentionMs: fc.nat(10_000), deliveries: counted }),
    }),
  ) as fc.Arbitrary<StoredReport>;
  const context = fc.record({
    about: fc.record({ id: fc.constant(newId("acc")), name: fc.constant("Shop") }),
    endpoint: fc.record({ id: endpointId, url, description: fc.option(word), waiting: counted }),
  }) as fc.Arbitrary<ReportContext & { endpoint: NonNullable<ReportContext["endpoint"]> }>;
  fc.assert(
    fc.property(report, context, (stored, about) => {
      const publicUrl = "https://hermod.example/path";
      const { type, ...rest } = payloadOf(stored, Date.now(), about, publicUrl);
      const message = emailMessage(type, JSON.stringify({ type, ...rest }), publicUrl);
      expect(message).toContain("\naccount name: Shop\n");
      expect(message).toContain("\nurl: https://a.example/hooks\n");
      expect(message).toMatch(/\n(failing since|since|created at|expires at): \d{4}-\d\d-\d\dT/);
      const { count, complete } = about.endpoint.waiting;
      expect(message).toContain(`\nwaiting: ${count}${complete ? "" : " or more"}\n`);
      expect(message).toContain(`\nOpen in Hermod: ${publicUrl}/console/`);
    }),
  );
});

test("any other payload is shown by its fields, with numbers as they were written", () => {
  const payload = '{"order_id": 12345678901234567890, "items": [1.50, {"a": null}]}';
  const { text, blocks } = JSON.parse(slackMessage("order.paid", payload));
  expect(text).toBe("order.paid");
  expect(blocks[0].fields.map((each: { text: string }) => each.text)).toEqual([
    "*order id*\n12345678901234567890",
    '*items*\n[1.50,{"a":null}]',
  ]);
  // A sender can name its event like a report.
  expect(JSON.parse(slackMessage("endpoint.disabled", "[]")).text).toBe("endpoint.disabled");
  expect(JSON.parse(slackMessage(null, "{}")).blocks[0].fields).toBeUndefined();
});

test("no payload exceeds the limits of Slack and Teams, or makes a mention or a link", () => {
  const anyText = fc.oneof(
    fc.string({ unit: "binary", maxLength: 600 }),
    fc.constant("<!channel> & <https://evil.example|pay>\n".repeat(30)),
    fc.constant("\ud83d".repeat(300)),
  );
  const anyPayload = fc.oneof(
    fc.json(),
    fc.dictionary(anyText, anyText, { maxKeys: 30 }).map((o) => JSON.stringify(o)),
  );
  fc.assert(
    fc.property(fc.option(anyText), anyPayload, (event, payload) => {
      const slack = slackMessage(event, payload);
      const [{ text, fields = [] }] = JSON.parse(slack).blocks;
      expect(fields.length).toBeLessThanOrEqual(MAX_FACTS);
      expect(text.text.length).toBeLessThanOrEqual(3_000);
      for (const each of fields) expect(each.text.length).toBeLessThanOrEqual(2_000);
      expect(slack).not.toMatch(/[<>]/);
      expect(slack.isWellFormed()).toBe(true);
      const teams = teamsMessage(event, payload);
      expect(Buffer.byteLength(teams)).toBeLessThan(28_000);
      expect(JSON.parse(teams).attachments[0].content.body.length).toBeLessThanOrEqual(1 + MAX_FACTS);
    }),
  );
  const many = JSON.stringify(
    Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, "x".repeat(300)])),
  );
  const { fields } = JSON.parse(slackMessage("a", many)).blocks[0];
  expect(fields.at(-1).text).toBe("*more*\n3 fields that are not shown here");
  expect(fields[0].text).toBe(`*f0*\n${"x".repeat(MAX_FACT_CHARACTERS)}…`);
});
