import type { ResendCount } from "../../client/types";
import { FORGED_TEST_EVENT, TEST_EVENT } from "../../domain/test-event";
import { count, pendingWords } from "../shared/format";
import { PART_TEXTS } from "../shared/texts";
import { CUSTOMER_WAITS, GERMAN_WAITS } from "../shared/waiting-words";

// The portal names no product but the sender's.
const en = {
  ...PART_TEXTS,
  unreachable: "The service can't be reached. This page shows what it last knew.",
  noDatabase: "The service can't reach its database. Deliveries pause; nothing is lost.",
  title: "Webhooks",
  endpoints: "Endpoints",
  deliveries: "Deliveries",
  catalogue: "Event catalogue",
  endpointsIntro: (sender: string) => `The addresses of your servers that ${sender} sends events to.`,
  sender: "the service",
  add: "Add endpoint",
  noEndpoints: "No endpoints yet",
  noEndpointsHint: "Add the address of a server that takes webhooks.",
  // `pendingWords` writes 1,000+, since numbers are counted up to 1,000.
  notDelivered: (n: number) =>
    n === 1 ? "1 event is not delivered yet." : `${pendingWords(n)} events are not delivered yet.`,
  failsSince: "No request to your server has succeeded since {time}.",
  failsReading: "Your server has acknowledged nothing since {time}.",
  followRead: "Your server can read them again.",
  lastAnswer: (answer: string) => `The last answer was ${answer}.`,
  lastUnanswered: (error: string) => `The last request got no answer: ${error}.`,
  blockedSince: (n: number) => `Event number ${count(n)} has been tried again and again since {time}.`,
  holdsBack: "What is behind it in its order waits for it.",
  filterFails: (n: number) =>
    `Since {time}, your filter has failed for ${n === 1 ? "1 event" : `${count(n)} events`}, which it left out.`,
  lastFilterError: "Its last error:",
  offSince: "Switched off since {time}.",
  pausedSince: "Paused since {time}.",
  kept: "Events are kept meanwhile.",
  skipped: "New events are skipped meanwhile.",
  follow: {
    ordered: "They follow in order as soon as your server answers with 2xx.",
    by_key: "They are sent again by themselves, each in its order.",
    unordered: "They are sent again by themselves.",
  },
  afterResume: "They follow once you resume.",
  retried: (n: number) =>
    n === 0
      ? "Nothing waits for a retry."
      : n === 1
        ? "1 event is sent again now."
        : `${count(n)} events are sent again now.`,
  removeHint: "What waits for it is cancelled. This can't be undone.",
  secretOnce: "It is shown only now. Your server needs it to tell our requests from others.",
  pending: "Waiting",
  willBeRetried: "Waiting",
  noDeliveries: "Nothing sent yet",
  noDeliveriesHint: "Send a test event to see one.",
  noneShown: "No deliveries to show",
  resendTitle: "Resend all that failed",
  resendCounted: (total: number) => `Resend (${count(total)})`,
  resendHint: ({ total: n }: Pick<ResendCount, "total">) =>
    n === 0
      ? "Nothing that failed can be sent again."
      : `${n === 1 ? "1 event is" : `${count(n)} events are`} sent again, in their order, behind what waits already.`,
  sequenceHint:
    "Every event carries a number, webhook-sequence: 1, 2, 3 … If yours have no gap, you have received everything.",
  noTypes: "There are no events yet.",
  showMore: (n: number) => `Show ${count(n)} more`,
  testType:
    "A test event, which comes only when somebody sends one. Your server answers 2xx and does nothing else.",
  schema: "Schema",
  expired: "Your session has ended",
  expiredHint: "Please reload this page, or open it again from where you came.",
  newDeliveries: (n: number, isLeast: boolean) =>
    `${isLeast ? "At least " : ""}${n === 1 ? "1 new event" : `${count(n)} new events`}`,
  theme: "Switch between light and dark",
  completeUpTo: (n: number) => `Complete up to number ${count(n)}`,
  completeHint:
    "Complete up to a number: each event up to it was delivered, failed or was cancelled. None is still on its way.",
  eventNames: {
    [TEST_EVENT]: "Test event",
    [FORGED_TEST_EVENT]: "Test with a wrong signature",
  } as Readonly<Record<string, string>>,
  deprecated: "no longer used",
  byId: "Id of a delivery (webhook-id)",
  waits: CUSTOMER_WAITS,
  placeAt: (sequence: number | null) => (sequence === null ? "to" : `Number ${count(sequence)} of`),
};

export type Texts = typeof en;

const de: Texts = {
  copy: "Kopieren",
  copyOf: (name) => `${name} kopieren`,
  cantCopy: "Der Browser erlaubt hier kein Kopieren. Markieren Sie den Text stattdessen.",
  tryAgain: "Noch einmal versuchen",
  unreachable: "Der Dienst ist nicht erreichbar. Diese Seite zeigt den letzten bekannten Stand.",
  pageFailed: "Diese Seite ist fehlgeschlagen. Laden Sie sie neu, um weiterzuarbeiten.",
  noDatabase: "Der Dienst erreicht seine Datenbank nicht. Die Zustellung pausiert; nichts geht verloren.",
  tooMany: (seconds) => `Zu viele Anfragen. In ${seconds} s geht es weiter.`,
  refused: (message) => `Abgelehnt: ${message}`,
  loading: "Lädt",
  undo: "Rückgängig",
  close: "Schließen",
  showAll: (size) => `Alles zeigen (${size})`,
  language: "Sprache",
  verify: "Prüfen, was ankommt",
  secretFrom: "der Schlüssel kommt aus der Variablen WEBHOOK_SECRET",
  now: "jetzt",
  noAnswer: "keine Antwort",
  errors: {
    timeout: "keine rechtzeitige Antwort",
    connection_refused: "Verbindung abgelehnt",
    connection_reset: "Verbindung abgebrochen",
    connection_failed: "Verbindung fehlgeschlagen",
    dns: "Name des Servers nicht gefunden",
    tls: "TLS fehlgeschlagen",
    blocked_address: "Adresse nicht erlaubt",
    invalid_url: "ungültige URL",
    https_required: "https ist nötig",
    proxy: "Proxy fehlgeschlagen",
    mail_server: "Mailserver fehlgeschlagen",
    protocol: "keine HTTP-Antwort",
    response_too_large: "Antwort zu groß",
    forgery_accepted: "falsche Signatur angenommen",
  },
  test: "Testereignis senden",
  testing: "Wird gesendet …",
  testWaits: "Es wartet auf früher Gesendetes, oder bis der Endpunkt aktiv ist.",
  tested: (answer, time) => `Der Server hat ${answer} geantwortet, nach ${time}`,
  testUnanswered: (error) => `Der Server hat nicht geantwortet: ${error}`,
  testRefused: (answer) => `${answer} ist kein 2xx: Es wird noch einmal versucht`,
  testCertificate: "Sein Zertifikat ist gültig",
  forge: "Falsche Signatur versuchen",
  forgeHint: "Dasselbe Ereignis, mit falschem Schlüssel signiert. Ein Server, der prüft, lehnt es ab.",
  forgeryRefused: (answer) => `Eine falsche Signatur hat er abgelehnt: ${answer}`,
  forgeryAccepted: (answer) =>
    `Auf eine falsche Signatur hat er ${answer} geantwortet. Das ist ein Fehler: Jeder könnte ihm Ereignisse senden. Er muss jede Anfrage prüfen.`,
  forgeryUnjudged: (answer) => `${answer}: Das sagt nichts über Signaturen`,
  payloadTypes: "Typen für Ihren Code",
  certify: "Server prüfen",
  certifyHint:
    "Bis zu acht Probeanfragen zeigen, was Ihr Server mit jeder Art von Anfrage tut. Sie tragen den Header webhook-trial und ändern hier nichts.",
  sendTrials: "Proben senden",
  sendTrialsAgain: "Noch einmal senden",
  certifying: "Die Proben werden gesendet, bis zu 25 Sekunden lang …",
  certified: {
    passed: "Ihr Server macht alles richtig.",
    warning: "Ihr Server funktioniert. Sehen Sie sich die Warnungen an.",
    failed: "An Ihrem Server muss sich etwas ändern.",
    not_tried: "Nichts wurde versucht.",
  },
  checkOutcomes: {
    passed: "bestanden",
    warning: "Warnung",
    failed: "nicht bestanden",
    not_tried: "nicht versucht",
  },
  checkTitles: {
    valid: "Nimmt einen Webhook mit gültiger Signatur an",
    forged: "Lehnt eine falsche Signatur ab",
    unsigned: "Lehnt eine Anfrage ohne Signatur ab",
    old_timestamp: "Lehnt eine 10 Minuten alte Anfrage ab",
    duplicate: "Nimmt denselben Webhook zweimal an",
    exact_bytes: "Prüft die Bytes so, wie sie kamen",
    unknown_type: "Nimmt einen unbekannten Ereignistyp an",
    large: "Nimmt einen Inhalt von 900 KiB an",
    out_of_order: "Nimmt Webhooks in anderer Reihenfolge an",
    speed: "Antwortet innerhalb von 3 Sekunden",
    tls: "Ist über https erreichbar, mit gültigem Zertifikat",
  },
  checkMends: {
    redirected: "Er leitet weiter. Tragen Sie die Zieladresse ein, denn Weiterleitungen wird nicht gefolgt.",
    unanswered: "Es kam keine Antwort. Der Fehler sagt, warum.",
    accepted: "Er muss jede Anfrage prüfen, denn jeder kann an seine Adresse senden.",
    crashed: "Er sollte 401 antworten. Seine Prüfung bricht anscheinend mit einer Ausnahme ab.",
    slow: "Er sollte den Webhook speichern, antworten und die Arbeit danach tun.",
    plain_http: "Verwenden Sie https, damit unterwegs niemand die Inhalte liest.",
    not_trusted: "Sein Zertifikat oder sein TLS wird nicht angenommen.",
    after_failure: "Ein gültiger Webhook wurde nicht angenommen, daher wurde nichts weiter gesendet.",
    out_of_time: "Die Zeit war um.",
    no_deliveries: "Es gab noch keine Zustellung. Senden Sie zuerst ein Testereignis.",
    valid_refused:
      "Er muss die Bytes so prüfen, wie sie kamen, mit dem Schlüssel dieses Endpunkts, und jeden Ereignistyp mit 2xx beantworten.",
    old_timestamp_accepted:
      "Er muss einen webhook-timestamp ablehnen, der älter als fünf Minuten ist, sonst kann jeder eine abgefangene Anfrage noch einmal senden.",
    duplicate_refused: "Er muss eine bekannte webhook-id mit 2xx beantworten und die Arbeit überspringen.",
    exact_bytes_refused: "Er muss prüfen, bevor er JSON liest: Neu geschriebenes JSON kann anders aussehen.",
    unknown_type_refused: "Er muss unbekannte Ereignistypen mit 2xx beantworten.",
    large_refused: "Er muss Inhalte bis 2 MiB annehmen, ebenso jeder Proxy davor.",
  },
  openDelivery: "Zustellung öffnen",
  answerBody: "Inhalt der Antwort",
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
  since: "seit",
  notDelivered: (n) =>
    n === 1
      ? "1 Ereignis ist noch nicht zugestellt."
      : `${pendingWords(n)} Ereignisse sind noch nicht zugestellt.`,
  failsSince: "Seit {time} war keine Anfrage an Ihren Server erfolgreich.",
  failsReading: "Ihr Server hat seit {time} nichts bestätigt.",
  followRead: "Ihr Server kann sie wieder lesen.",
  read: (ago, waiting) => `Zuletzt vor ${ago} gelesen, wartend: ${waiting}.`,
  neverRead: (waiting) => `Noch nie gelesen, wartend: ${waiting}.`,
  lastAnswer: (answer) => `Die letzte Antwort war ${answer}.`,
  lastUnanswered: (error) => `Die letzte Anfrage blieb ohne Antwort: ${error}.`,
  blockedSince: (n) => `Ereignis Nummer ${count(n)} wird seit {time} immer wieder versucht.`,
  holdsBack: "Was in seiner Reihe dahinter steht, wartet darauf.",
  filterFails: (n) =>
    `Seit {time} ist Ihr Filter bei ${n === 1 ? "1 Ereignis" : `${count(n)} Ereignissen`} fehlgeschlagen und hat es ausgelassen.`,
  lastFilterError: "Sein letzter Fehler:",
  offSince: "Abgeschaltet seit {time}.",
  pausedSince: "Angehalten seit {time}.",
  kept: "Ereignisse werden solange aufbewahrt.",
  skipped: "Neue Ereignisse werden solange übersprungen.",
  follow: {
    ordered: "Sie folgen der Reihe nach, sobald Ihr Server mit 2xx antwortet.",
    by_key: "Sie werden von selbst erneut gesendet, jedes in seiner Reihe.",
    unordered: "Sie werden von selbst erneut gesendet.",
  },
  afterResume: "Sie folgen, sobald Sie fortsetzen.",
  healthy: "In Ordnung",
  failing: "Gestört",
  blocked: "Blockiert",
  disabled: "Abgeschaltet",
  paused: "Angehalten",
  retry: "Jetzt versuchen",
  retryNumber: (n) => `Nummer ${count(n)} jetzt versuchen`,
  retried: (n) =>
    n === 0
      ? "Nichts wartet auf einen neuen Versuch."
      : n === 1
        ? "1 Ereignis wird jetzt erneut gesendet."
        : `${count(n)} Ereignisse werden jetzt erneut gesendet.`,
  resume: "Fortsetzen",
  pause: "Anhalten",
  remove: "Löschen",
  removeQuestion: (name) => `${name} löschen?`,
  removeHint: "Was darauf wartet, wird abgebrochen. Das lässt sich nicht rückgängig machen.",
  back: "Zurück",
  create: "Endpunkt anlegen",
  edit: "Einstellungen",
  save: "Speichern",
  url: "URL",
  name: "Name",
  events: "Ereignisse",
  eventsHint:
    "Ein Ereignistyp, invoice.* für alle, die so beginnen, oder * für alle; mehrere durch Kommas getrennt.",
  eventsWithin: (bound) => `Ereignistypen innerhalb von ${bound}; mehrere durch Kommas getrennt.`,
  urlHint: "Diese Sitzung kann ändern, was auf den Host folgt, aber nicht den Host selbst.",
  secret: "Schlüssel der Signatur",
  secretOnce: "Er wird nur jetzt gezeigt. Ihr Server erkennt damit unsere Anfragen.",
  stored: "Ich habe ihn gesichert",
  checkGaps: "Auf Lücken prüfen",
  checkGapsHint:
    "Jeder Webhook hat eine Nummer, seine webhook-sequence: 1, 2, 3 … Geben Sie die letzte Nummer ein, die Ihr Server hat.",
  lastNumber: "Letzte Nummer",
  check: "Prüfen",
  nothingAfter: (n) => `Nach Nummer ${count(n)} ist nichts beendet.`,
  cameAfter: (from, to) =>
    from === to
      ? `Nummer ${count(to)} kam danach.`
      : `Die Nummern ${count(from)} bis ${count(to)} kamen danach.`,
  allDelivered: (to) => `Jede bis ${count(to)} wurde zugestellt.`,
  missedNumbers: (numbers) => `Nicht zugestellt: ${numbers}.`,
  checkedUpTo: (to) => `Bis Nummer ${count(to)} geprüft. Prüfen Sie von dort weiter.`,
  receiverKeys: "Schlüssel des Empfängers",
  receiverKeysHint:
    "Mit einem solchen Schlüssel liest der Empfänger die Zustellungen dieses Endpunkts, sonst nichts.",
  receiverKey: "Neuer Schlüssel des Empfängers",
  keyOnce: "Er wird nur jetzt gezeigt.",
  keyName: "Name des Schlüssels",
  makeKey: "Schlüssel anlegen",
  neverUsed: "nie benutzt",
  revokeKey: "Widerrufen",
  keyRevoked: (name) => `${name} ist widerrufen.`,
  rotate: "Neuer Schlüssel",
  rotateHint:
    "Bis Ihr Server den neuen Schlüssel kennt, kann der alte mitsignieren: Jeder Webhook hat dann zwei Signaturen, und eine passende genügt.",
  oldSigns: "Der alte Schlüssel signiert weiter",
  overlaps: {
    0: "gar nicht: Andere kennen ihn vielleicht",
    3600: "für eine Stunde",
    86400: "für einen Tag",
    604800: "für eine Woche",
  },
  oldSignsUntil: "Der alte signiert bis",
  makeSecret: "Neuen Schlüssel machen",
  next: "Weiter",
  verification: "Prüfen",
  resumed: "Fortgesetzt. Was wartete, wird jetzt gesendet.",
  pausedNow: "In 5 Sekunden wird angehalten. Was wartet, wird aufbewahrt.",
  saved: "Gespeichert. Was wartet, verwendet es ab dem nächsten Versuch.",
  removed: "Der Endpunkt ist gelöscht, und was auf ihn wartete, ist abgebrochen.",
  typeToConfirm: (text) => `Zur Bestätigung ${text} eingeben`,
  address: "Adresse",
  plainHint: "http ist nicht verschlüsselt: Unterwegs kann jeder lesen, was gesendet wird.",
  nameHint: "Wie man ihn nennt. Ohne Namen wird der Host der URL gezeigt.",
  everyEvent: "Alle Ereignisse, auch spätere",
  patterns: "Als Muster",
  headers: "Kopfzeilen",
  plainHeaders: "Kopfzeilen jeder Anfrage",
  headersHint: "Je eine Zeile, der Name vor dem Doppelpunkt.",
  secretHeaders: "Geheime Kopfzeilen",
  search: "Zum Suchen tippen",
  nothingMatches: "Nichts passt.",
  newestTypes: (n) => `Das sind die neuesten ${count(n)}.`,
  filters: "Auswahl",
  eventType: "Ereignistyp",
  allTypes: "Alle Ereignisse",
  asTyped: "wie eingegeben",
  to: "an",
  endpoint: "Endpunkt",
  anyEndpoint: "alle Endpunkte",
  accepted: "angenommen",
  having: "mit",
  time: "Zeit",
  times: {
    any: "zu jeder Zeit",
    "15m": "in den letzten 15 Minuten",
    "1h": "in der letzten Stunde",
    morning: "heute Morgen, ab 06:00",
    today: "heute",
    yesterday: "gestern",
    "24h": "in den letzten 24 Stunden",
    "7d": "in den letzten 7 Tagen",
    "30d": "in den letzten 30 Tagen",
  },
  between: (from, to) => `${from} bis ${to}`,
  after: (time) => `seit ${time}`,
  before: (time) => `vor ${time}`,
  fromField: "Von",
  untilField: "Bis",
  apply: "Anwenden",
  outcome: "Ergebnis",
  outcomes: {
    any: "jedem Ergebnis",
    pending: "Status wartet",
    delivered: "Status zugestellt",
    failed: "Status fehlgeschlagen",
    cancelled: "Status abgebrochen",
  },
  addressFound: "Der Server wurde gefunden.",
  moreFilters: "Antwort, Fehler, Nummer, Schlüssel, Feld des Inhalts",
  ofKey: (key) => `Reihenschlüssel ${key}`,
  numbered: (sequence) => `Nummer ${sequence}`,
  numberField: "Nummer",
  numberProblem: "Die Nummer ist die webhook-sequence: 1, 2, 3 …",
  keyField: "Reihenschlüssel",
  removeFilter: (filter) => `${filter} entfernen`,
  answeredBy: (answer) => `Antwort ${answer}`,
  noneAnswered: "keine Antwort",
  answerField: "Antwort",
  answerExample: "503, 5xx oder 0 für keine",
  answerProblem: "Die Antwort ist ein Status wie 503 oder eine Klasse wie 5xx.",
  errorField: "Fehler",
  anyError: "jeder",
  payloadField: "Feld des Inhalts",
  payloadValue: "hat den Wert",
  payloadProblem: "Nennen Sie das Feld des Inhalts.",
  addFilters: "Auswählen",
  attemptNumber: (n) => `Versuch ${count(n)}`,
  notAttempted: "Noch nicht versucht.",
  neverAttempted: "Es gab keinen Versuch.",
  waited: (time) => `${time} gewartet`,
  unanswered: "keine",
  nextAttempt: "nächster Versuch in",
  thenAfter: (waits) => `danach nach ${waits}`,
  exchange: "Was gesendet und geantwortet wurde",
  exchangeTabs: { response: "Antwort", payload: "Inhalt", request: "Anfrage", curl: "Als curl" },
  noAnswerYet: "Vor dem ersten Versuch gibt es keine Antwort.",
  timing: {
    lookup_ms: "Namen suchen",
    connect_ms: "verbinden",
    tls_ms: "TLS-Handschlag",
    first_byte_ms: "erstes Byte",
  },
  sharedRequest: (size, first) => `eine Anfrage mit ${count(size)} Zustellungen, ab Nummer ${count(first)}`,
  redirectsTo: (url) => `leitet um nach ${url}; dem wird nicht gefolgt`,
  answerNote: "als Text gezeigt; der Anfang wird aufbewahrt",
  sentNoAnswer: "Der Server hat nicht geantwortet.",
  emptyAnswer: "Die Antwort hat keinen Inhalt.",
  erasedAt: "Der Inhalt wurde gelöscht:",
  nothingSent: "Nichts wurde gesendet.",
  secretsHidden: "Geheime Kopfzeilen werden nie gezeigt.",
  command: "Befehl",
  commandNote: "sendet den Inhalt noch einmal, ohne Signatur",
  secretHeadersHint:
    "Ihre Werte werden verschlüsselt gespeichert und nie gezeigt. Wer Kopfzeilen ändert, schreibt diese Werte noch einmal.",
  delivered: "Zugestellt",
  failed: "Fehlgeschlagen",
  pending: "Wartet",
  willBeRetried: "Wartet",
  cancelled: "Abgebrochen",
  noDeliveries: "Noch nichts gesendet",
  noDeliveriesHint: "Senden Sie ein Testereignis, um eines zu sehen.",
  noneShown: "Keine Zustellungen zu zeigen",
  attempts: "Versuche",
  payload: "Inhalt",
  noPayload: "Diese Sitzung darf keine Inhalte sehen.",
  resend: "Erneut senden",
  resent: "Erneut gesendet. Dies ist die neue Zustellung.",
  resendTitle: "Alle fehlgeschlagenen erneut senden",
  counting: "Wird gezählt …",
  resendCounted: (total) => `Erneut senden (${count(total)})`,
  resendHint: ({ total: n }) =>
    n === 0
      ? "Nichts Fehlgeschlagenes lässt sich erneut senden."
      : `${n === 1 ? "1 Ereignis wird" : `${count(n)} Ereignisse werden`} der Reihe nach erneut gesendet, hinter dem, was schon wartet.`,
  resending: "Sie werden erneut gesendet.",
  sequenceHint:
    "Jedes Ereignis trägt eine Nummer, webhook-sequence: 1, 2, 3 … Haben Ihre keine Lücke, dann haben Sie alles erhalten.",
  noTypes: "Es gibt noch keine Ereignisse.",
  showMore: (n) => `${count(n)} weitere zeigen`,
  andOthers: (n) => `und ${count(n)} weitere`,
  testType:
    "Ein Testereignis, das nur kommt, wenn jemand eines sendet. Ihr Server antwortet mit 2xx und tut sonst nichts.",
  schema: "Schema",
  expired: "Ihre Sitzung ist beendet",
  expiredHint: "Bitte laden Sie diese Seite neu, oder öffnen Sie sie wieder von dort, woher Sie kamen.",
  older: "Ältere zeigen",
  searching: "Sucht …",
  newDeliveries: (n, isLeast) =>
    `${isLeast ? "Mindestens " : ""}${n === 1 ? "1 neues Ereignis" : `${count(n)} neue Ereignisse`}`,
  theme: "Zwischen hell und dunkel wechseln",
  completeUpTo: (n) => `Vollständig bis Nummer ${count(n)}`,
  completeHint:
    "Vollständig bis zu einer Nummer: Jedes Ereignis bis dahin ist zugestellt, fehlgeschlagen oder abgebrochen. Keines ist noch unterwegs.",
  eventNames: {
    [TEST_EVENT]: "Testereignis",
    [FORGED_TEST_EVENT]: "Test mit falscher Signatur",
  },
  noName: "ohne Ereignistyp",
  example: "Beispiel",
  deprecated: "nicht mehr verwendet",
  moreOf: (name) => `Mehr zu ${name}`,
  byId: "Id einer Zustellung (webhook-id)",
  waits: GERMAN_WAITS,
  placeAt: (sequence) => (sequence === null ? "an" : `Nummer ${count(sequence)} an`),
};

const CATALOGUES = { en, de } as const satisfies Record<string, Texts>;

export type Language = keyof typeof CATALOGUES;
export const LANGUAGES = Object.keys(CATALOGUES) as Language[];

/** Shows where a text is not from the catalogue, and what breaks with longer words. For tests. */
const PSEUDO = "en-xa";

export type Chosen = Readonly<{ language: Language; locale: string; texts: Texts }>;

/** The texts in the first of these languages that there is, and the locale that numbers and times are written in. */
export function textsFor(wanted: readonly string[]): Chosen {
  for (const each of wanted) {
    const tag = each.replaceAll("_", "-");
    const language = LANGUAGES.find((known) => tag.toLowerCase().split("-")[0] === known);
    if (language === undefined) continue;
    const texts = tag.toLowerCase() === PSEUDO ? pseudoOf(en) : CATALOGUES[language];
    return { language, locale: isLocale(tag) ? tag : language, texts };
  }
  return { language: "en", locale: "en", texts: en };
}

/** Anybody may name a locale. */
function isLocale(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/** Makes a text 40 % longer, in words of five letters where it has several words. */
function lengthened(text: string): string {
  const more = "~".repeat(Math.ceil(text.length * 0.4));
  return text + (text.includes(" ") ? more.replace(/.{1,5}/g, " $&") : more);
}

/** Marks each text and makes it longer. */
function pseudoOf<T>(text: T): T {
  const of = (each: unknown): unknown => {
    // A time is shown between the parts of its text.
    if (typeof each === "string")
      return each
        .split("{time}")
        .map((part) => `⟦${lengthened(part)}⟧`)
        .join("{time}");
    if (typeof each === "function") return (...given: unknown[]) => of(each(...given));
    return Object.fromEntries(Object.entries(each as object).map(([name, value]) => [name, of(value)]));
  };
  return of(text) as T;
}
