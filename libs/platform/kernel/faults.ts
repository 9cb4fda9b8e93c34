/** Faults that one error message lists. */
export const FAULTS_MAX = 10;

/** The message of a request with these faults. */
export const messageOf = (faults: readonly string[]): string => {
  const listed = faults.slice(0, FAULTS_MAX).join('; ');
  const more = faults.length - FAULTS_MAX;
  return more > 0 ? `${listed}; and ${more} more` : listed;
};

/** One fault of a request, in one style whatever has checked it. */
export const faultText = (param: string, expected: string, received: unknown): string =>
  `${param}: expected ${expected}, received ${receivedText(received)}`;

export const UNSUPPORTED_FIELD = 'this field is not supported';

/** Names a value without the content of a text, which may be secret. */
export const receivedText = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') {
    return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
  }
  if (typeof value === 'number') return Number.isNaN(value) ? 'no number' : String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === 'boolean' || value === null ? String(value) : 'an object';
};
