/** The code of an error of the system, such as `ENOENT`; empty for another error. */
export const systemCodeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
