import { type z } from 'zod';

/**
 * Whether a zod schema accepts a value and gives back an equal one. `true` is certain; `false` says
 * nothing, and the schema decides and words the fault. A check makes no copy and no list of issues,
 * so it takes a fraction of the time of parsing.
 */
export type SchemaCheck = (value: unknown) => boolean;

interface Compiled {
  readonly accepts: SchemaCheck;
  /** The schema never gives back another value than it was given. */
  readonly isPure: boolean;
}

/** The parts of zod's definitions that checks are made from. They are private: a spec pins zod. */
interface Definition {
  readonly type?: string | undefined;
  readonly check?: string | undefined;
  readonly checks?: readonly Definable[];
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly innerType?: Definable;
  readonly element?: Definable;
  readonly shape?: Readonly<Record<string, Definable>>;
  readonly catchall?: Definable;
  readonly keyType?: Definable;
  readonly valueType?: Definable;
  readonly options?: readonly Definable[];
  readonly value?: unknown;
  readonly inclusive?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly fn?: (value: unknown) => unknown;
}

interface Definable {
  readonly _zod: { readonly def: Definition };
}

/** Null for a schema with a part that no check is written for. */
export const schemaCheckOf = (schema: z.ZodType): SchemaCheck | null =>
  compiled(schema)?.accepts ?? null;

const compiled = (schema: Definable | undefined): Compiled | null => {
  if (!schema) return null;
  const { def } = schema._zod;
  const own = ownCheck(def);
  const checks = (def.checks ?? []).map((check) => checkOf(check._zod.def));
  if (!own || !checks.every((check) => check !== null)) return null;
  if (checks.length === 0) return own;
  const { accepts, isPure } = own;
  return { accepts: (value) => accepts(value) && passesAll(checks, value), isPure };
};

/** A loop: a callback would be allocated for each value. */
const passesAll = (checks: readonly SchemaCheck[], value: unknown): boolean => {
  for (const check of checks) if (!check(value)) return false;
  return true;
};

const ownCheck = (def: Definition): Compiled | null => {
  switch (def.type) {
    case 'string':
      return stringCheck(def);
    case 'number':
      return numberCheck(def);
    case 'boolean':
      return pure((value) => typeof value === 'boolean');
    case 'null':
      return pure((value) => value === null);
    case 'unknown':
      return pure(() => true);
    case 'literal':
      return oneOf(def.values);
    case 'enum':
      return oneOf(def.entries && Object.values(def.entries));
    case 'nullable':
      return wrapped(def.innerType, (accepts) => (value) => value === null || accepts(value));
    case 'optional':
      return wrapped(def.innerType, (accepts) => accepts);
    case 'default':
      // Of fields that are present; a missing field is not accepted.
      return wrapped(def.innerType, (accepts) => accepts, false);
    case 'array':
      return wrapped(def.element, eachOf);
    case 'record':
      return recordCheck(def);
    case 'object':
      return objectCheck(def);
    case 'union':
      return unionCheck(def);
    case undefined:
    default:
      return null;
  }
};

const pure = (accepts: SchemaCheck): Compiled => ({ accepts, isPure: true });

const wrapped = (
  schema: Definable | undefined,
  wrap: (accepts: SchemaCheck) => SchemaCheck,
  isPure = true,
): Compiled | null => {
  const inner = compiled(schema);
  return inner && { accepts: wrap(inner.accepts), isPure: isPure && inner.isPure };
};

const oneOf = (values: readonly unknown[] | undefined): Compiled | null => {
  const known = new Set(values);
  return values === undefined ? null : pure((value) => known.has(value));
};

/** Formats that are their pattern and nothing else. */
const PATTERN_FORMATS: readonly (string | undefined)[] = ['regex', 'uuid', 'datetime'];

const patternCheck = ({ format, pattern }: Definition): SchemaCheck | null => {
  if (!PATTERN_FORMATS.includes(format) || !pattern || /[gy]/.test(pattern.flags)) return null;
  return (value) => typeof value === 'string' && pattern.test(value);
};

const stringCheck = (def: Definition): Compiled | null => {
  if (def.format === undefined) return pure((value) => typeof value === 'string');
  const check = patternCheck(def);
  return check && pure(check);
};

const numberCheck = ({ format }: Definition): Compiled | null => {
  if (format === undefined) return pure((value) => Number.isFinite(value));
  return format === 'safeint' ? pure((value) => Number.isSafeInteger(value)) : null;
};

const checkOf = (def: Definition): SchemaCheck | null => {
  const { check, minimum = 0, maximum = Infinity, fn } = def;
  switch (check) {
    case 'string_format':
      return patternCheck(def);
    case 'min_length':
      return (value) => lengthOf(value) >= minimum;
    case 'max_length':
      return (value) => lengthOf(value) <= maximum;
    case 'greater_than':
    case 'less_than':
      return comparison(def);
    case 'custom':
      return fn ? (value) => fn(value) === true : null;
    case undefined:
    default:
      return null;
  }
};

/** NaN, which passes no comparison, for a value without a length. */
const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : Number.NaN;

const comparison = ({ check, value: bound, inclusive }: Definition): SchemaCheck | null => {
  if (typeof bound !== 'number') return null;
  const isBelow = check === 'less_than';
  return (value) =>
    typeof value === 'number' &&
    ((inclusive === true && value === bound) || (isBelow ? value < bound : value > bound));
};

const eachOf =
  (accepts: SchemaCheck): SchemaCheck =>
  (value) => {
    if (!Array.isArray(value)) return false;
    for (let at = 0; at < value.length; at += 1) if (!accepts(value[at])) return false;
    return true;
  };

type Fields = Readonly<Record<string, unknown>>;

/** Made by a literal or by `JSON.parse`; another object may be copied to something else. */
const isPlain = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const recordCheck = ({ keyType, valueType }: Definition): Compiled | null => {
  const key = keyType?._zod.def.type === 'string' ? compiled(keyType) : null;
  return key && wrapped(valueType, (accepts) => (value) => isRecord(value, key.accepts, accepts));
};

const isRecord = (value: unknown, key: SchemaCheck, field: SchemaCheck): boolean => {
  if (!isPlain(value)) return false;
  for (const name in value) {
    if (name === '__proto__' || !key(name) || !field(value[name])) return false;
  }
  return true;
};

interface Field {
  readonly accepts: SchemaCheck;
  readonly isOptional: boolean;
}

const objectCheck = ({ shape = {}, catchall }: Definition): Compiled | null => {
  const fields = new Map<string, Field>();
  const open = catchall?._zod.def.type === 'unknown';
  let isPure = catchall !== undefined;
  for (const [name, schema] of Object.entries(shape)) {
    const inner = compiled(schema);
    if (!inner) return null;
    isPure &&= inner.isPure;
    const isOptional = schema._zod.def.type === 'optional';
    fields.set(name, { accepts: inner.accepts, isOptional });
  }
  const required = [...fields.values()].filter(({ isOptional }) => !isOptional).length;
  const accepts = (value: unknown): boolean =>
    isPlain(value) && hasFields(value, fields, required, open);
  return { accepts, isPure };
};

/** One walk over the fields of the value: the schema's fields fit, and no other is there. */
const hasFields = (
  value: Fields,
  fields: ReadonlyMap<string, Field>,
  required: number,
  open: boolean,
): boolean => {
  let missing = required;
  for (const name in value) {
    const field = fields.get(name);
    if (field === undefined) {
      if (!open || name === '__proto__') return false;
    } else if (value[name] === undefined || !field.accepts(value[name])) return false;
    else if (!field.isOptional) missing -= 1;
  }
  return missing === 0;
};

/** Whichever option zod takes, its output is its input. */
const unionCheck = ({ options = [] }: Definition): Compiled | null => {
  const known = options.map(compiled);
  if (!known.every((option) => option !== null)) return null;
  if (!known.every(({ isPure }) => isPure)) return null;
  return pure((value) => known.some(({ accepts }) => accepts(value)));
};
