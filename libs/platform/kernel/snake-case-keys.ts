const CAMEL_CASE = /^[a-z][a-z0-9]*[A-Z][a-zA-Z0-9]*$/;

const keyOf = (key: string): string =>
  CAMEL_CASE.test(key) ? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key;

const converted = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(converted);
  if (typeof json !== 'object' || json === null) return json;
  return snakeCaseKeys(json);
};

/** The object with its keys in camel case, at every depth, in snake case, as answers have them. */
export const snakeCaseKeys = (json: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(json).map(([key, value]) => [keyOf(key), converted(value)]));
