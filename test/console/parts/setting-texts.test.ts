import { expect, test } from "bun:test";
import { CONTROLLED, NEW_TEXTS, textsOf, valuesOf } from "../../../src/console/console/setting-texts";
import { SETTING_NAMES, SETTINGS } from "../../../src/domain/endpoint-settings";
import { SETTINGS_EXAMPLE } from "../../../src/resources/endpoints/settings";

const inForm = CONTROLLED.map(([name]) => name);

test("the form has each field in a place of its own", () => {
  const places = CONTROLLED.map(([, { control }]) => control.place);
  expect(places).toEqual(inForm.map((_, at) => at + 1));
  expect(inForm.toSorted()).toEqual(SETTING_NAMES.toSorted());
});

test("a new endpoint has the defaults", () => {
  expect(valuesOf(NEW_TEXTS)).toEqual(
    Object.fromEntries(CONTROLLED.map(([name, setting]) => [name, setting.default])),
  );
});

test("texts that nobody changes give the values that they were made of", () => {
  const values = Object.fromEntries(inForm.map((name) => [name, SETTINGS_EXAMPLE[name]]));
  expect(valuesOf(textsOf(SETTINGS_EXAMPLE))).toEqual(values);
  expect(textsOf(SETTINGS_EXAMPLE).retry_schedule_ms).toBe("1, 30, 600");
});

test("seconds become milliseconds, and nothing the service's own value", () => {
  const texts = { ...NEW_TEXTS, timeout_ms: "0.25", retry_schedule_ms: " 1.5 2,3 ", rate_limit: " " };
  expect(valuesOf(texts)).toMatchObject({
    timeout_ms: 250,
    retry_schedule_ms: [1_500, 2_000, 3_000],
    rate_limit: null,
    permanent_statuses: SETTINGS.permanent_statuses.default,
  });
});
