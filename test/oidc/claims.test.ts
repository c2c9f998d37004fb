import { describe, expect, test } from "bun:test";
import { parseRoles, ROLES_BY_NAME } from "../../src/domain/role";
import { claimIn, personIn } from "../../src/oidc/claims";

describe("the role of a person", () => {
  const roleOf = (claims: Record<string, unknown>, roleClaim = "roles", roles = ROLES_BY_NAME) =>
    personIn(claims, "person-1", { roleClaim, roles }).role;

  test.each([
    ["a text", "admin"],
    ["a list", ["staff", "admin"]],
    ["a text with blanks, as of scopes", "staff  admin"],
    ["the keys of an object", { admin: { "1234": "example.com" }, staff: {} }],
    ["a key that is true", { admin: true }],
    ["a key that is 'true'", { admin: "true" }],
  ])("is read from %s", (_, roles) => {
    expect(roleOf({ roles })).toBe("admin");
  });

  test.each([
    ["a key that is false", { admin: false }],
    ["a key that is 'False'", { admin: "False" }],
    ["a key of null", { admin: null }],
    ["a key of nothing", { admin: {} }],
    ["a key of an empty list", { admin: [] }],
    ["a key deeper in", { staff: { admin: true } }],
    ["an object in a list", [{ admin: true }]],
    ["a word of an item of a list", ["Sales admin"]],
    ["a part of a word", "sales-admin administrators"],
  ])("is not read from %s", (_, roles) => {
    expect(roleOf({ roles })).toBeNull();
  });

  test("of a text is first the one of the whole text", () => {
    const roles = parseRoles("On call=viewer,call=admin");
    expect(roleOf({ roles: "On call" }, "roles", roles)).toBe("viewer");
    expect(roleOf({ roles: "some call" }, "roles", roles)).toBe("admin");
  });

  test("is found under a client's id with dots", () => {
    const claims = { resource_access: { "hooks.example.com": { roles: ["operator"] } } };
    expect(roleOf(claims, "resource_access.hooks.example.com.roles")).toBe("operator");
    expect(roleOf({ "https://example.com/roles": "viewer" }, "https://example.com/roles")).toBe("viewer");
  });

  test("is not given by a claim under a client's id that its verifier denies", () => {
    const access = { roles: ["admin"], roles_verified: "no" };
    expect(roleOf({ of: { "a.b": access } }, "of.a.b.roles")).toBeNull();
  });
});

test("a claim is the one of the longest name, and never an inherited property", () => {
  expect(claimIn({ a: { "b.c": 1, b: { c: 2 } }, "a.b": { c: 3 } }, "a.b.c")).toBe(3);
  expect(claimIn({ a: { "b.c": 1, b: { c: 2 } } }, "a.b.c")).toBe(1);
  expect(claimIn({ a: { b: { c: 2 } } }, "a.b.c")).toBe(2);
  for (const name of ["constructor", "a.constructor", "a.b.toString", "a.", ".a", "a..b"])
    expect(claimIn({ a: { b: {} } }, name)).toBeUndefined();
});
