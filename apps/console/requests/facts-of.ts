/** Facts of any shape, each value under the path to it, as `quipu explain` names them. */
export const namedFacts = (facts: object, prefix = ''): readonly (readonly [string, string])[] =>
  Object.entries(facts).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? namedFacts(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, String(value)] as const],
  );
