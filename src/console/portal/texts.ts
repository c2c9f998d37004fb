import { count } from "../shared/format";

const en = {
  title: "Webhooks",
  endpoints: "Endpoints",
  deliveries: "Deliveries",
  catalogue: "Event catalogue",
  endpointsIntro: (sender: string) => `The addresses of your servers that ${sender} sends events to.`,
  sender: "the service",
  add: "Add endpoint",
  noEndpoints: "No endpoints yet",
  noEndpointsHint: "Add the address of a server that takes webhooks.",
  allEvents: "all events",
  waiting: (n: number) => (n === 1 ? "1 event waits." : `${count(n)} events wait.`),
  inOrder: "They follow in order as soon as your server answers with 2xx.",
  answersSince: (answer: string) => `Your server has answered ${answer} since`,
  pausedSince: "Paused since",
  kept: "Events are kept meanwhile.",
  healthy: "Healthy",
  failing: "Failing",
  blocked: "Blocked",
  disabled: "Switched off",
  paused: "Paused",
  retry: "Retry now",
  retried: (n: number) =>
    n === 0
      ? "Nothing waits for a retry."
      : n === 1
        ? "1 event is sent again now."
        : `${count(n)} events are sent again now.`,
  resume: "Resume",
  pause: "Pause",
  test: "Send test event",
  testSent: "The test event is sent. It appears under Deliveries.",
  remove: "Delete",
  removeQuestion: (name: string) => `Delete ${name}?`,
  removeHint: "What waits for it is cancelled. This can't be undone.",
  back: "Back",
  next: "Continue",
  create: "Create endpoint",
  edit: "Settings",
  editHint: "What waits uses them from its next attempt.",
  save: "Save",
  url: "URL",
  name: "Name",
  events: "Events",
  eventsHint:
    "An event type, invoice.* for all that begin so, or * for all; several with commas between them.",
  secret: "Signing secret",
  secretOnce: "It is shown only now. Your server needs it to tell our requests from others.",
  stored: "I have stored it",
  rotate: "New secret",
  rotateHint: "The old secret signs for another day as well, so nothing is lost while you change it.",
  verify: "Verify what arrives",
  delivered: "Delivered",
  failed: "Failed",
  pending: "Waiting",
  cancelled: "Cancelled",
  any: "All",
  event: "Event",
  answer: "Answer",
  time: "Time",
  status: "Status",
  noDeliveries: "Nothing sent yet",
  noDeliveriesHint: "Send a test event to see one.",
  attempts: "Attempts",
  payload: "Payload",
  noPayload: "This session may not see payloads.",
  noAnswer: "no answer",
  resend: "Resend",
  resent: "Sent again.",
  resendFailed: "Resend all that failed",
  resendHint: (n: number) =>
    n === 0
      ? "Nothing that failed can be sent again."
      : `${n === 1 ? "1 event is" : `${count(n)} events are`} sent again, in their order, behind what waits already.`,
  resending: "They are being sent again.",
  sequenceHint:
    "Every event carries a number, webhook-sequence: 1, 2, 3 … If yours have no gap, you have received everything.",
  number: "Number",
  description: "Description",
  noTypes: "There are no events yet.",
  schema: "Schema",
  since: "since",
  nextTry: "Next attempt in",
  expired: "Your session has ended",
  expiredHint: "Please reload this page, or open it again from where you came.",
  loading: "Loading",
  older: "Show older",
  tryAgain: "Try again",
  copy: "Copy",
  theme: "Switch between light and dark",
};

export type Texts = typeof en;

const de: Texts = {
  title: "Webhooks",
  endpoints: "Endpunkte",
  deliveries: "Zustellungen",
  catalogue: "Ereignisse",
  endpointsIntro: (sender) => `Die Adressen Ihrer Server, an die ${sender} Ereignisse sendet.`,
  sender: "der Dienst",
  add: "Endpunkt hinzufügen",
  noEndpoints: "Noch keine Endpunkte",
  noEndpointsHint: "Fügen Sie die Adresse eines Servers hinzu, der Webhooks annimmt.",
  allEvents: "alle Ereignisse",
  waiting: (n) => (n === 1 ? "1 Ereignis wartet." : `${count(n)} Ereignisse warten.`),
  inOrder: "Sie folgen der Reihe nach, sobald Ihr Server mit 2xx antwortet.",
  answersSince: (answer) => `Ihr Server antwortet ${answer}, seit`,
  pausedSince: "Angehalten seit",
  kept: "Ereignisse werden solange aufbewahrt.",
  healthy: "In Ordnung",
  failing: "Gestört",
  blocked: "Blockiert",
  disabled: "Abgeschaltet",
  paused: "Angehalten",
  retry: "Jetzt versuchen",
  retried: (n) =>
    n === 0
      ? "Nichts wartet auf einen neuen Versuch."
      : n === 1
        ? "1 Ereignis wird jetzt erneut gesendet."
        : `${count(n)} Ereignisse werden jetzt erneut gesendet.`,
  resume: "Fortsetzen",
  pause: "Anhalten",
  test: "Testereignis senden",
  testSent: "Das Testereignis ist gesendet. Es erscheint unter Zustellungen.",
  remove: "Löschen",
  removeQuestion: (name) => `${name} löschen?`,
  removeHint: "Was darauf wartet, wird abgebrochen. Das lässt sich nicht rückgängig machen.",
  back: "Zurück",
  next: "Weiter",
  create: "Endpunkt anlegen",
  edit: "Einstellungen",
  editHint: "Was wartet, verwendet sie ab dem nächsten Versuch.",
  save: "Speichern",
  url: "URL",
  name: "Name",
  events: "Ereignisse",
  eventsHint:
    "Ein Ereignistyp, invoice.* für alle, die so beginnen, oder * für alle; mehrere durch Kommas getrennt.",
  secret: "Schlüssel der Signatur",
  secretOnce: "Er wird nur jetzt gezeigt. Ihr Server erkennt damit unsere Anfragen.",
  stored: "Ich habe ihn gesichert",
  rotate: "Neuer Schlüssel",
  rotateHint: "Der alte Schlüssel signiert noch einen Tag mit, damit beim Wechsel nichts verloren geht.",
  verify: "Prüfen, was ankommt",
  delivered: "Zugestellt",
  failed: "Fehlgeschlagen",
  pending: "Wartet",
  cancelled: "Abgebrochen",
  any: "Alle",
  event: "Ereignis",
  answer: "Antwort",
  time: "Zeit",
  status: "Status",
  noDeliveries: "Noch nichts gesendet",
  noDeliveriesHint: "Senden Sie ein Testereignis, um eines zu sehen.",
  attempts: "Versuche",
  payload: "Inhalt",
  noPayload: "Diese Sitzung darf keine Inhalte sehen.",
  noAnswer: "keine Antwort",
  resend: "Erneut senden",
  resent: "Erneut gesendet.",
  resendFailed: "Alle fehlgeschlagenen erneut senden",
  resendHint: (n) =>
    n === 0
      ? "Nichts Fehlgeschlagenes lässt sich erneut senden."
      : `${n === 1 ? "1 Ereignis wird" : `${count(n)} Ereignisse werden`} der Reihe nach erneut gesendet, hinter dem, was schon wartet.`,
  resending: "Sie werden erneut gesendet.",
  sequenceHint:
    "Jedes Ereignis trägt eine Nummer, webhook-sequence: 1, 2, 3 … Haben Ihre keine Lücke, dann haben Sie alles erhalten.",
  number: "Nummer",
  description: "Beschreibung",
  noTypes: "Es gibt noch keine Ereignisse.",
  schema: "Schema",
  since: "seit",
  nextTry: "Nächster Versuch in",
  expired: "Ihre Sitzung ist beendet",
  expiredHint: "Bitte laden Sie diese Seite neu, oder öffnen Sie sie wieder von dort, woher Sie kamen.",
  loading: "Lädt",
  older: "Ältere zeigen",
  tryAgain: "Noch einmal versuchen",
  copy: "Kopieren",
  theme: "Zwischen hell und dunkel wechseln",
};

const CATALOGUES: Readonly<Record<string, Texts>> = { en, de };

/** Returns the texts in the first of these languages that exists. */
export function textsFor(languages: readonly string[]): { language: string; texts: Texts } {
  for (const language of languages) {
    const short = language.toLowerCase().split("-")[0] ?? "";
    const texts = CATALOGUES[short];
    if (texts) return { language: short, texts };
  }
  return { language: "en", texts: en };
}
