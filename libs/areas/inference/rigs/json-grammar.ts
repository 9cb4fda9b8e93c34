import { type JsonObject } from './chat-backend.js';
import { isObject } from './token-usage.js';

/**
 * JSON Schema as the grammar of an embedded model can enforce it. A fault names a keyword that has
 * no grammar: the answer would otherwise break the schema unnoticed.
 */
export type GrammarSchema = { readonly schema: JsonObject } | { readonly fault: string };

const LEVELS_MAX = 16;

/** Keywords that say nothing about the shape. */
const NOTES: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'default',
  'examples',
  'deprecated',
]);
const BASIC_TYPES: ReadonlySet<unknown> = new Set(['number', 'integer', 'boolean', 'null']);
const STRING_FORMATS: ReadonlySet<unknown> = new Set(['date', 'time', 'date-time']);

class SchemaFault extends Error {}

const fault = (path: string, why: string): never => {
  throw new SchemaFault(`${path === '' ? 'the schema' : path} ${why}`);
};

/** Reads a schema. A property that may be absent is always given, which is valid, too. */
export const grammarSchemaOf = (schema: JsonObject): GrammarSchema => {
  try {
    return { schema: convert(schema, '', 0) };
  } catch (error) {
    if (error instanceof SchemaFault) return { fault: error.message };
    throw error;
  }
};

const convert = (value: unknown, path: string, level: number): JsonObject => {
  if (!isObject(value)) return fault(path, 'is not a schema object');
  if (level > LEVELS_MAX) return fault(path, `is nested deeper than ${LEVELS_MAX} levels`);
  const { description, ...described } = value;
  // A template shows the description of a tool's schema to the model.
  const note = typeof description === 'string' ? { description } : {};
  return { ...shapeOf(described, path, level), ...note };
};

const shapeOf = (value: JsonObject, path: string, level: number): JsonObject => {
  const stated = Object.fromEntries(Object.entries(value).filter(([name]) => !NOTES.has(name)));
  const variants = stated['oneOf'] ?? stated['anyOf'];
  if (variants !== undefined) return oneOf(stated, variants, path, level);
  if ('const' in stated) return only(stated, ['const', 'type'], path, { const: stated['const'] });
  if ('enum' in stated) return only(stated, ['enum', 'type'], path, { enum: stated['enum'] });
  const { type } = stated;
  if (type === 'object') return objectOf(stated, path, level);
  if (type === 'array') return arrayOf(stated, path, level);
  if (type === 'string') return stringOf(stated, path);
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.every((one) => BASIC_TYPES.has(one) || (one === 'string' && types.length > 1))) {
    return only(stated, ['type'], path, { type });
  }
  return fault(path, 'has no type that this model can be held to');
};

/** @throws SchemaFault for a keyword that is not one of these */
const only = (
  stated: JsonObject,
  keywords: readonly string[],
  path: string,
  schema: JsonObject,
): JsonObject => {
  const other = Object.keys(stated).find((name) => !keywords.includes(name));
  return other === undefined ? schema : fault(path, `has ${other}, which this model cannot keep`);
};

const oneOf = (stated: JsonObject, variants: unknown, path: string, level: number): JsonObject => {
  if (!Array.isArray(variants) || variants.length === 0) return fault(path, 'has no variants');
  const converted = variants.map((one, index) =>
    convert(one, `${path}.oneOf[${index}]`, level + 1),
  );
  return only(stated, ['oneOf', 'anyOf'], path, { oneOf: converted });
};

const objectOf = (stated: JsonObject, path: string, level: number): JsonObject => {
  const { properties = {}, additionalProperties = false } = stated;
  if (!isObject(properties)) return fault(path, 'has properties that are no object');
  if (additionalProperties !== false) {
    return fault(path, 'has additionalProperties, which this model cannot keep');
  }
  const converted = Object.entries(properties).map(
    ([name, property]) => [name, convert(property, `${path}.${name}`, level + 1)] as const,
  );
  return only(stated, ['type', 'properties', 'required', 'additionalProperties'], path, {
    type: 'object',
    properties: Object.fromEntries(converted),
  });
};

const arrayOf = (stated: JsonObject, path: string, level: number): JsonObject => {
  const { items, minItems, maxItems } = stated;
  return only(stated, ['type', 'items', 'minItems', 'maxItems'], path, {
    type: 'array',
    items: convert(items, `${path}[]`, level + 1),
    ...(minItems !== undefined && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
  });
};

const stringOf = (stated: JsonObject, path: string): JsonObject => {
  const { format } = stated;
  if (format !== undefined && !STRING_FORMATS.has(format)) {
    return fault(path, `has the format ${JSON.stringify(format)}, which this model cannot keep`);
  }
  const keywords = format === undefined ? ['type', 'minLength', 'maxLength'] : ['type', 'format'];
  return only(stated, keywords, path, { ...stated });
};
