/** By its name, since V8 may throw the class of another realm than the one this code runs in. */
export const isRangeError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'RangeError';
