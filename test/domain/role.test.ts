import { describe, expect, test } from "bun:test";
import { parseRoles } from "../../src/domain/role";

describe("the setting of roles", () => {
  test("is pairs with commas between them", () => {
    const roles = parseRoles("On call=operator, a=b=admin");
    expect([...roles]).toEqual([
      ["On call", "operator"],
      ["a=b", "admin"],
    ]);
  });

  test("is a JSON object for values that have commas, such as LDAP names", () => {
    const roles = parseRoles(`{"CN=Hooks,OU=admin,DC=example,DC=com": "support", "__proto__": "admin"}`);
    expect([...roles]).toEqual([
      ["CN=Hooks,OU=admin,DC=example,DC=com", "support"],
      ["__proto__", "admin"],
    ]);
  });

  test.each([
    "CN=Hooks,OU=Groups,DC=example,DC=com=admin",
    "admin",
    "=admin",
    "a=owner",
    "a=admin,",
    "",
    `{"a": "owner"}`,
    `{"a": ["admin"]}`,
    `{"": "admin"}`,
    "{}",
    `{"a": "admin"`,
  ])("is refused as %j, with what is right", (text) => {
    expect(() => parseRoles(text)).toThrow(/JSON object/);
  });
});
