/** Waits for all of them, and then throws the first error in their order. */
export const allOf = async (work: readonly Promise<unknown>[]): Promise<void> => {
  for (const outcome of await Promise.allSettled(work)) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
};
