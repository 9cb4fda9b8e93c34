/** Every name with this prefix is a setting of Quipu, or a mistake. */
const PREFIX = 'QUIPU_';

/** Read by the compose files only; an operator may export them in the shell of a process. */
export const COMPOSE_VARIABLES: readonly string[] = [
  'QUIPU_VERSION',
  'QUIPU_UID',
  'QUIPU_GID',
  'QUIPU_PUBLISH',
  'QUIPU_PUBLISH_TLS',
  'QUIPU_PUBLISH_GRAFANA',
  'QUIPU_CATALOG_FILE',
  'QUIPU_MODELS',
  'QUIPU_BLOBS_FOLDER',
];

/** Read when Quipu is installed and tested. */
const TOOL_VARIABLES: readonly string[] = ['QUIPU_KEEP_SOURCES', 'QUIPU_TEST_CACHE'];

/** The names among these that no setting has, as `<variable>: <reason with the nearest name>`. */
export const unknownVariables = (
  names: readonly string[],
  known: readonly string[],
): readonly string[] =>
  names
    .filter((name) => name.toUpperCase().startsWith(PREFIX))
    .filter((name) => ![...known, ...COMPOSE_VARIABLES, ...TOOL_VARIABLES].includes(name))
    .map((name) => `${name}: no setting has this name; the nearest is ${nearestTo(name, known)}`);

const nearestTo = (name: string, known: readonly string[]): string => {
  const withoutPrefix = name.slice(PREFIX.length);
  if (known.includes(withoutPrefix)) return withoutPrefix;
  const distances = known.map((one) => ({ one, distance: editsBetween(name.toUpperCase(), one) }));
  distances.sort((one, other) => one.distance - other.distance);
  return distances[0]?.one ?? '';
};

/** The Levenshtein distance: how many letters to add, remove or replace. */
const editsBetween = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, letter] of Array.from(one).entries()) {
    const next = [line + 1];
    for (const [column, otherLetter] of Array.from(other).entries()) {
      const replaced = (row[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};
