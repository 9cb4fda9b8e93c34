/** A pause that ends after `delayMs` or when `end` is called. @param give receives `end` */
export const interruptible = (delayMs: number, give: (end: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    give(() => {
      clearTimeout(timer);
      resolve();
    });
  });
