const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** A code as an event may have it; one of an upstream may be any text. */
export const failureCode = (code: string): string => {
  const written = code
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]/g, '_')
    .slice(0, 64);
  return CODE.test(written) ? written : 'failed';
};
