/** Whether tests run too that take longer than every change should wait for: HERMOD_TEST_LONG=1 has them run. */
export const isLong = Boolean(process.env.HERMOD_TEST_LONG);
