type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const NULL = { type: 'null' } as const;
const LEVELS_MAX = 8;

/**
 * The arguments of a tool in the part of JSON Schema that an embedded model can be held to. It may
 * allow more than the tool does, whose own check decides. Such an answer always has every property,
 * so one that may be absent may be null.
 */
export const answerableSchema = (schema: unknown, charactersMax: number, level = 0): JsonObject => {
  const text = { type: 'string', maxLength: charactersMax } as const;
  if (!isObject(schema) || level > LEVELS_MAX) return text;
  const inner = (one: unknown): JsonObject => answerableSchema(one, charactersMax, level + 1);
  if ('const' in schema) return { const: schema['const'] };
  if (Array.isArray(schema['enum'])) return { enum: schema['enum'] };
  const variants = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(variants)) return { oneOf: variants.map(inner) };
  switch (schema['type']) {
    case 'object':
      return objectOf(schema, inner);
    case 'array':
      return { type: 'array', items: inner(schema['items']), maxItems: 16 };
    case 'number':
    case 'integer':
    case 'boolean':
    case 'null':
      return { type: schema['type'] };
    default:
      return text;
  }
};

const objectOf = (
  { properties, required }: JsonObject,
  inner: (one: unknown) => JsonObject,
): JsonObject => {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const stated = Object.entries(isObject(properties) ? properties : {}).map(([name, one]) => {
    const given = inner(one);
    return [name, names.includes(name) ? given : { oneOf: [NULL, given] }] as const;
  });
  return { type: 'object', properties: Object.fromEntries(stated) };
};

/** Removes properties that are null: a planner writes null for an absent property. */
export const withoutNulls = (value: unknown, level = 0): unknown => {
  if (Array.isArray(value)) return value.map((one) => withoutNulls(one, level + 1));
  if (!isObject(value) || level > LEVELS_MAX) return value;
  const given = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(given.map(([name, one]) => [name, withoutNulls(one, level + 1)]));
};
