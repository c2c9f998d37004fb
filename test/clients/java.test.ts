import { expect, test } from "bun:test";
import { useService } from "../http/service";
import { Random } from "../support/simulation/random";
import { javaToolchain } from "./toolchains";

const java = await javaToolchain();
const service = await useService();

/** Returns what a program prints. */
async function outputOf(program: string, input: string, ...given: string[]): Promise<string> {
  const child = Bun.spawn([...(java?.command ?? []), program, ...given], {
    stdin: new Blob([input]),
    stderr: "inherit",
  });
  return new Response(child.stdout).text();
}

/** Returns the text and the value of each that the client reads. */
async function outcomesOf(texts: readonly string[]): Promise<[string?, string?][]> {
  return JSON.parse(await outputOf("ExactJson", JSON.stringify(texts)));
}

const TEXTS = [
  `{"a":[1,-0,1.50,1e5,-2.5E-7,12345678901234567890],"b":{"a":{},"b":[]},"é\\u00e9\\n\\"\\\\\\/":"\\ud83d\\ude00","a":null}`,
  ` [ true , false,null ,"" , "\\u2028\u2028" ]\n`,
  `{"x":{"y":[{"z":"${"a".repeat(50)}"},0.001,"\\b\\f\\r\\t"]}}`,
];
const BROKEN =
  String.raw`~ ~[1,]~{"a":1,}~01~1.~.5~+1~1e~-~NaN~tru~[1 2]~'a'~"	"~{a:1}~"\x"~"\u12g4"~"\u١٢٣٤"~"~[~{~[}~{"a"}~1 2~`.split(
    "~",
  );

/** Changes a character of a text, removes it, or repeats it. */
function changed(text: string, random: Random): string {
  const at = random.below(text.length);
  const inserted = ["", text[at] ?? "", '"', "\\", "{", "]", ",", ":", "0", "e", " ", "\u0000"][
    random.below(12)
  ];
  return text.slice(0, at) + inserted + text.slice(at + random.below(2));
}

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const TOO_DEEP = [nested(513), nested(1_000_000), `{"a":`.repeat(100_000)];

test.skipIf(!java)(
  "the Java client reads what JSON.parse reads, up to 512 levels, and no other",
  async () => {
    const random = new Random(7);
    const variants = Array.from({ length: 3_000 }, () => changed(TEXTS[random.below(3)] ?? "", random));
    const texts = [...TEXTS, nested(512), ...BROKEN, ...variants];
    const outcomes = await outcomesOf([...texts, ...TOO_DEEP]);
    for (const [i, text] of texts.entries()) {
      const [read, value] = outcomes[i] ?? [];
      expect([text, read, value && JSON.parse(value)]).toEqual([text, ...readBy(text)]);
    }
    expect(outcomes.filter(([read]) => read !== undefined).length).toBeGreaterThan(500);
    expect(outcomes.slice(-TOO_DEEP.length)).toEqual(TOO_DEEP.map(() => []));
  },
);

/** The text without blanks around it, and its value; undefined if it is no JSON. */
function readBy(text: string): [string?, unknown?] {
  try {
    return [text.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, ""), JSON.parse(text)];
  } catch {
    return [undefined, undefined];
  }
}

test.skipIf(!java)("a loop of the Java client acknowledges and hands back as its end says", async () => {
  const { key } = await service.newClient();
  expect(await outputOf("Loops", "", service.url, key)).toBe(
    `left 1
acknowledged 1
interrupted 2
true
failed 3 receiver_failed
too late
streamed 3
followed [1, 2, 3, 4]
`,
  );
});
