import { type z } from 'zod';

/**
 * Whether a zod schema accepts a value and gives back an equal one. `true` is certain; `false` says
 * nothing, and the schema decides and words the fault. A check makes no copy and no list of issues,
 * so it takes a fraction of the time of parsing.
 */
export type SchemaCheck = (value: unknown) => boolean;

interface Compiled {
  /** An expression that is true for a value that fits; `value` is a name or a constant. */
  readonly test: (value: string) => string;
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
  readonly partial?: boolean;
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
export const schemaCheckOf = (schema: z.ZodType): SchemaCheck | null => {
  const writer = new CheckWriter();
  const compiled = writer.compiled(schema);
  return compiled && writer.check(compiled);
};

/** Formats that are their pattern and nothing else. */
const PATTERN_FORMATS: readonly (string | undefined)[] = ['regex', 'uuid', 'datetime'];

/**
 * Writes the check of one schema as one function: each field of an event is then read at a place
 * of its own in the code, which takes half of the time of one reader for all fields.
 * The source has names of fields and texts as JSON; every other value is a parameter.
 */
class CheckWriter {
  /** Patterns, sets and functions of the schema: the parameters `p0`, `p1` … of the source. */
  readonly #parts: unknown[] = [];
  /** The last text that fitted each pattern: most fields of an event have the same one again. */
  readonly #lasts: string[] = [];
  /** Functions for values with parts of their own: `f0`, `f1` … */
  readonly #functions: string[] = [];

  check({ test }: Compiled): SchemaCheck {
    const names = this.#parts.map((_, index) => `p${index}`);
    const declared = [...this.#lasts, ...this.#functions].join('\n');
    const source = `"use strict"; ${declared} return (v) => ${test('v')};`;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- made of the schema alone
    const make = new Function(...names, source) as (...parts: readonly unknown[]) => SchemaCheck;
    return make(...this.#parts);
  }

  compiled(schema: Definable | undefined): Compiled | null {
    if (!schema) return null;
    const { def } = schema._zod;
    const own = this.#own(def);
    const checks = (def.checks ?? []).map((check) => this.#checkOf(check._zod.def));
    if (!own || !checks.every((check) => check !== null)) return null;
    const tests = [own.test, ...checks];
    return { ...own, test: (value) => tests.map((test) => `(${test(value)})`).join(' && ') };
  }

  #own(def: Definition): Compiled | null {
    switch (def.type) {
      case 'string':
        return def.format === undefined ? pure(isString) : pureOrNone(this.#pattern(def));
      case 'number':
        return pureOrNone(numberTest(def));
      case 'boolean':
        return pure((value) => `typeof ${value} === "boolean"`);
      case 'null':
        return pure((value) => `${value} === null`);
      case 'unknown':
        return pure(() => 'true');
      case 'literal':
        return this.#oneOf(def.values);
      case 'enum':
        return this.#oneOf(def.entries && Object.values(def.entries));
      case 'nullable':
        return wrapped(this.compiled(def.innerType), (test) => (value) => {
          return `${value} === null || ${test(value)}`;
        });
      case 'optional':
        return this.compiled(def.innerType);
      case 'default': {
        // Of fields that are present; a missing field is not accepted.
        const inner = this.compiled(def.innerType);
        return inner && { ...inner, isPure: false };
      }
      case 'array':
        return wrapped(this.compiled(def.element), (test) => this.#eachOf(test));
      case 'record':
        return this.#record(def);
      case 'object':
        return this.#object(def);
      case 'union':
        return this.#union(def);
      case undefined:
      default:
        return null;
    }
  }

  #checkOf(def: Definition): Test | null {
    const { check, minimum = 0, maximum = Infinity, fn } = def;
    switch (check) {
      case 'string_format':
        return this.#pattern(def);
      case 'min_length':
        return (value) => `${hasLength(value)} && ${value}.length >= ${minimum}`;
      case 'max_length':
        return (value) => `${hasLength(value)} && ${value}.length <= ${maximum}`;
      case 'greater_than':
      case 'less_than':
        return comparison(def);
      case 'custom': {
        if (!fn) return null;
        const part = this.#part(fn);
        return (value) => `${part}(${value}) === true`;
      }
      case undefined:
      default:
        return null;
    }
  }

  #part(value: unknown): string {
    return `p${this.#parts.push(value) - 1}`;
  }

  /** @param body of a function of the value `v` */
  #function(body: string): Test {
    const name = `f${this.#functions.length}`;
    this.#functions.push(`const ${name} = (v) => { ${body} };`);
    return (value) => `${name}(${value})`;
  }

  #pattern({ format, pattern }: Definition): Test | null {
    if (!PATTERN_FORMATS.includes(format) || !pattern || /[gy]/.test(pattern.flags)) return null;
    const part = this.#part(pattern);
    const last = `last${this.#lasts.length}`;
    // No value equals the pattern, so no text has fitted yet.
    this.#lasts.push(`let ${last} = ${part};`);
    return (value) =>
      `${value} === ${last} || ` +
      `(${isString(value)} && ${part}.test(${value}) && ((${last} = ${value}), true))`;
  }

  #oneOf(values: readonly unknown[] | undefined): Compiled | null {
    if (values === undefined) return null;
    const known = this.#part(new Set(values));
    return pure((value) => `${known}.has(${value})`);
  }

  #eachOf(test: Test): Test {
    return this.#function(
      `if (!Array.isArray(v)) return false;
       for (let at = 0; at < v.length; at += 1) {
         const e = v[at];
         if (!(${test('e')})) return false;
       }
       return true;`,
    );
  }

  #record({ keyType, valueType, partial }: Definition): Compiled | null {
    const keys = keyType?._zod.def.type;
    const key =
      keys === 'string' || (keys === 'enum' && partial === true) ? this.compiled(keyType) : null;
    return key && wrapped(this.compiled(valueType), (test) => this.#recordOf(key.test, test));
  }

  #recordOf(key: Test, field: Test): Test {
    return this.#function(
      `if (!(${isPlain('v')})) return false;
       for (const name in v) {
         if (name === "__proto__" || !(${key('name')})) return false;
         const e = v[name];
         if (!(${field('e')})) return false;
       }
       return true;`,
    );
  }

  /** The schema's fields fit, and the value has as many fields: no other is there. */
  #object({ shape = {}, catchall }: Definition): Compiled | null {
    const open = catchall?._zod.def.type === 'unknown';
    let isPure = catchall !== undefined;
    let required = 0;
    const fields: string[] = [];
    for (const [name, schema] of Object.entries(shape)) {
      const inner = this.compiled(schema);
      if (!inner || name in Object.prototype) return null;
      isPure &&= inner.isPure;
      const isOptional = schema._zod.def.type === 'optional';
      if (!isOptional) required += 1;
      const misfit = `if (!(${inner.test('e')})) return false;`;
      fields.push(
        `e = v[${JSON.stringify(name)}];`,
        isOptional
          ? `if (e !== undefined) { ${misfit} known += 1; }`
          : `if (e === undefined) return false; ${misfit}`,
      );
    }
    const rest = open
      ? `for (const name in v) if (name === "__proto__" || v[name] === undefined) return false;
         return true;`
      : 'let all = 0; for (const name in v) all += 1; return all === known;';
    const test = this.#function(
      `if (!(${isPlain('v')})) return false;
       let e; let known = ${required}; ${fields.join('\n')} ${rest}`,
    );
    return { test, isPure };
  }

  /** Whichever option zod takes, its output is its input. */
  #union({ options = [] }: Definition): Compiled | null {
    const known = options.map((option) => this.compiled(option));
    if (!known.every((option) => option !== null)) return null;
    if (!known.every(({ isPure }) => isPure)) return null;
    return pure((value) => known.map(({ test }) => `(${test(value)})`).join(' || '));
  }
}

type Test = Compiled['test'];

const pure = (test: Test): Compiled => ({ test, isPure: true });

const pureOrNone = (test: Test | null): Compiled | null => test && pure(test);

const wrapped = (inner: Compiled | null, wrap: (test: Test) => Test): Compiled | null =>
  inner && { test: wrap(inner.test), isPure: inner.isPure };

const isString: Test = (value) => `typeof ${value} === "string"`;

const hasLength: Test = (value) => `(${isString(value)} || Array.isArray(${value}))`;

/** Made by a literal or by `JSON.parse`; another object may be copied to something else. */
const isPlain: Test = (value) =>
  `typeof ${value} === "object" && ${value} !== null && ` +
  `Object.getPrototypeOf(${value}) === Object.prototype`;

const numberTest = ({ format }: Definition): Test | null => {
  if (format === undefined) return (value) => `Number.isFinite(${value})`;
  return format === 'safeint' ? (value) => `Number.isSafeInteger(${value})` : null;
};

const comparison = ({ check, value: bound, inclusive }: Definition): Test | null => {
  if (typeof bound !== 'number') return null;
  const operator = (check === 'less_than' ? '<' : '>') + (inclusive === true ? '=' : '');
  return (value) => `typeof ${value} === "number" && ${value} ${operator} ${bound}`;
};
