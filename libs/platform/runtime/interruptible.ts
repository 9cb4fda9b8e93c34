/** A wait that whoever is given `end` may cut short. */
export const interruptible = (delayMs: number, give: (end: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    give(() => {
      clearTimeout(timer);
      resolve();
    });
  });
