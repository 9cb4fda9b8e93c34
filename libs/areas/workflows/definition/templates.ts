/**
 * Expressions in the parameters of nodes: `{{ inputs.topic }}`, `{{ nodes.draft.output.text }}`,
 * `{{ item.id }}`, `{{ index }}`, `{{ run.id }}`. They look up values and compute nothing.
 */

/** A part of a look-up: a field or a place in a list. */
export type PathPart = string | number;

export interface Reference {
  /** As it is written, without the braces. */
  readonly text: string;
  /** `['nodes', 'draft', 'output', 'text']` */
  readonly path: readonly PathPart[];
}

/** Text and references in turn. */
type Template = readonly (string | Reference)[];

/** A template that cannot be read, or a value that is not there. */
export class TemplateError extends Error {
  override readonly name: string = 'TemplateError';
}

/** A value would be larger than the limit; it was not made. */
export class ExpansionError extends TemplateError {}

/** The values of a run would be larger together than the limit. */
export class RunExpansionError extends TemplateError {}

/** The size limit for the expanded parameters of a node, or the expanded items of a map. */
export const EXPANSION_BYTES_MAX = 1_048_576;

const ROOT = /^[a-z][a-z0-9_]*/;
const PART = /\.([A-Za-z0-9_-]+)|\[(\d{1,6})\]/y;
const PATH_LENGTH_MAX = 1_000;
const SHOWN_LENGTH_MAX = 100;
/** Fields that would leave the JSON for the objects of the language. */
const FORBIDDEN: readonly string[] = ['__proto__', 'constructor', 'prototype'];

const shown = (written: string): string => `{{${written.slice(0, SHOWN_LENGTH_MAX)}}}`;

/** Undefined for a text that is not a path. Each character is read once. */
const partsOf = (text: string): readonly string[] | undefined => {
  const [root] = ROOT.exec(text) ?? [];
  if (root === undefined || text.length > PATH_LENGTH_MAX) return undefined;
  const parts = [root];
  for (let end = root.length; end < text.length; end = PART.lastIndex) {
    PART.lastIndex = end;
    const [, field, place] = PART.exec(text) ?? [];
    const part = field ?? place;
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
};

/** @throws TemplateError */
const referenceOf = (written: string): Reference => {
  const text = written.trim();
  const parts = partsOf(text);
  if (!parts) throw new TemplateError(`${shown(written)} is not a path such as {{ inputs.topic }}`);
  if (parts.some((part) => FORBIDDEN.includes(part))) {
    throw new TemplateError(`${shown(written)} has a name that is not allowed`);
  }
  return { text, path: parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part)) };
};

/** @throws TemplateError */
const templateOf = (text: string): Template => {
  const parts: (string | Reference)[] = [];
  let end = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', end)) {
    const close = text.indexOf('}}', open + 2);
    if (close < 0) throw new TemplateError('{{ is not closed by }}');
    if (open > end) parts.push(text.slice(end, open));
    parts.push(referenceOf(text.slice(open + 2, close)));
    end = close + 2;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
};

/** A reference, and its path in the value. */
export interface PlacedReference extends Reference {
  readonly at: readonly PathPart[];
}

/**
 * Every reference in the strings of a JSON value.
 * @throws TemplateError
 */
export const referencesIn = (
  value: unknown,
  at: readonly PathPart[] = [],
): readonly PlacedReference[] => {
  if (typeof value === 'string') {
    return templateOf(value).flatMap((part) => (typeof part === 'string' ? [] : { ...part, at }));
  }
  if (typeof value !== 'object' || value === null) return [];
  const entries: readonly (readonly [PathPart, unknown])[] = Array.isArray(value)
    ? value.map((entry, index) => [index, entry] as const)
    : Object.entries(value);
  return entries.flatMap(([key, entry]) => referencesIn(entry, [...at, key]));
};

/** The value of each root that references may name. */
export type Scope = Readonly<Record<string, unknown>>;

/** @throws TemplateError for a value that is not there */
const lookUp = ({ path, text }: Reference, scope: Scope): unknown => {
  let value: unknown = scope;
  for (const part of path) {
    const isThere =
      typeof value === 'object' && value !== null && Object.hasOwn(value, String(part));
    if (!isThere) throw new TemplateError(`{{ ${text} }} has no value`);
    value = (value as Readonly<Record<string, unknown>>)[String(part)];
  }
  return value;
};

/**
 * The bytes of a value with every reference replaced; nothing is made.
 * @throws ExpansionError above `bytesMax`; TemplateError
 */
export const bytesOf = (value: unknown, scope: Scope, bytesMax: number): number => {
  const expansion = new Expansion(scope, bytesMax);
  expansion.count(value);
  return expansion.bytes;
};

/**
 * The value with every reference replaced. A string that is one reference becomes the value itself,
 * of whatever type; in a longer string, anything but text is written as JSON. Its bytes are counted
 * first: a value that would be too large is not made.
 * @throws ExpansionError above `bytesMax`; TemplateError
 */
export const resolved = (value: unknown, scope: Scope, bytesMax = EXPANSION_BYTES_MAX): unknown => {
  const expansion = new Expansion(scope, bytesMax);
  expansion.count(value);
  return expansion.make(value);
};

interface Looked {
  readonly value: unknown;
  readonly text: string;
  readonly bytes: number;
}

/** One value in the making: counted as a whole, then made. A reference is written once as JSON. */
class Expansion {
  bytes = 0;
  readonly #looked = new Map<string, Looked>();

  constructor(
    private readonly scope: Scope,
    private readonly bytesMax: number,
  ) {}

  count(value: unknown): void {
    if (typeof value === 'string') {
      for (const part of templateOf(value)) {
        this.#add(typeof part === 'string' ? Buffer.byteLength(part) : this.#lookUp(part).bytes);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, entry] of Object.entries(value)) {
        this.#add(key.length);
        this.count(entry);
      }
    } else {
      this.#add(1);
    }
  }

  make(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((entry) => this.make(entry));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.make(entry)]));
  }

  #text(text: string): unknown {
    const template = templateOf(text);
    const [only] = template;
    if (template.length === 1 && typeof only === 'object') return this.#lookUp(only).value;
    return template
      .map((part) => (typeof part === 'string' ? part : this.#lookUp(part).text))
      .join('');
  }

  #add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes <= this.bytesMax) return;
    throw new ExpansionError(`the references expand to more than ${this.bytesMax} bytes`);
  }

  #lookUp(reference: Reference): Looked {
    const known = this.#looked.get(reference.text);
    if (known) return known;
    const value = lookUp(reference, this.scope);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const looked = { value, text, bytes: Buffer.byteLength(text) };
    this.#looked.set(reference.text, looked);
    return looked;
  }
}
