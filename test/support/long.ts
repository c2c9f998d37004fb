/** HERMOD_TEST_LONG=1 also runs the tests that take too long for every change. */
export const isLong = Boolean(process.env.HERMOD_TEST_LONG);
