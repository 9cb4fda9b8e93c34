/** Error numbers of WASI preview 1. */
export const ERRNO = {
  success: 0,
  badFile: 8,
  fault: 21,
  invalid: 28,
  noSys: 52,
  notSocket: 57,
  notSupported: 58,
  illegalSeek: 70,
} as const;
