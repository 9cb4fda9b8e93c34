/** Names whose values are kept. */
const NAMES_MAX = 10_000;

const isSame = (one: readonly string[], other: readonly string[]): boolean => {
  for (let at = 0; at < other.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
};

/**
 * Keeps the last value for each name, and the texts that it was made of. Most charges of an account
 * change the documents of the charge before: their keys are not joined, hashed and compared again.
 */
export const keepingLatest = <Parts extends readonly string[], Value>(
  make: (name: string, ...parts: Parts) => Value,
): ((name: string, ...parts: Parts) => Value) => {
  const latest = new Map<string, { readonly parts: Parts; readonly value: Value }>();
  return (name, ...parts) => {
    const known = latest.get(name);
    if (known && isSame(known.parts, parts)) return known.value;
    const value = make(name, ...parts);
    if (!known && latest.size >= NAMES_MAX) latest.clear();
    latest.set(name, { parts, value });
    return value;
  };
};
