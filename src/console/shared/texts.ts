import { signal } from "@preact/signals";

/** The texts of the parts that the console and the portal have in common. */
export const PART_TEXTS = {
  copy: "Copy",
  copyOf: (name: string) => `Copy ${name}`,
  cantCopy: "The browser doesn't allow copying here. Select the text instead.",
  tryAgain: "Try again",
  unreachable: "Hermod can't be reached. This page shows what it last knew.",
  pageFailed: "This page failed. Reload it to go on.",
  noDatabase: "Hermod can't reach its database. Deliveries pause; nothing is lost.",
  tooMany: (seconds: string) => `Too many requests. This is possible again in ${seconds} s.`,
  /** The service's own words, which are English. */
  refused: (message: string) => message,
  loading: "Loading",
  undo: "Undo",
  close: "Close",
  showAll: (size: string) => `Show all ${size}`,
  language: "Language",
  verify: "Verify what arrives",
  secretFrom: "the secret comes from the variable WEBHOOK_SECRET",
  now: "now",
  noAnswer: "no answer",
  errors: {
    timeout: "no answer in time",
    connection_refused: "connection refused",
    connection_reset: "connection broken off",
    connection_failed: "connection failed",
    dns: "host name not found",
    tls: "TLS failed",
    blocked_address: "address not allowed",
    invalid_url: "invalid URL",
    https_required: "https is required",
    proxy: "proxy failed",
    mail_server: "mail server failed",
    protocol: "not an HTTP answer",
    response_too_large: "answer too large",
    forgery_accepted: "accepted a wrong signature",
  } as Readonly<Record<string, string>>,
  test: "Send test event",
  testing: "Sending…",
  testWaits: "It waits behind what was sent before, or until the endpoint is active.",
  tested: (answer: string, time: string) => `The server answered ${answer} within ${time}`,
  testUnanswered: (error: string) => `The server did not answer: ${error}`,
  testRefused: (answer: string) => `${answer} is no 2xx: it is tried again`,
  testCertificate: "Its certificate is valid",
  forge: "Try a wrong signature",
  forgeHint: "The same event, signed with a wrong secret. A server that verifies refuses it.",
  forgeryRefused: (answer: string) => `It refused a wrong signature: ${answer}`,
  forgeryAccepted: (answer: string) =>
    `It answered ${answer} to a wrong signature. That is a mistake: anybody could send it events. It must verify each request.`,
  forgeryUnjudged: (answer: string) => `${answer}: this says nothing about signatures`,
  openDelivery: "Open the delivery",
  answerBody: "Body of the answer",
};

export type PartTexts = typeof PART_TEXTS;

/** In the language of the page: the console has English alone. */
export const partTexts = signal<PartTexts>(PART_TEXTS);
