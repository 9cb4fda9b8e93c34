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
  override readonly name = 'TemplateError';
}

const EXPRESSION = /\{\{(.*?)\}\}/gs;
const PATH = /^[a-z][a-z0-9_]*(\.[A-Za-z0-9_-]+|\[\d{1,6}\])*$/;
const PART = /[A-Za-z0-9_-]+/g;
/** Fields that would leave the JSON for the objects of the language. */
const FORBIDDEN: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** @throws TemplateError */
const referenceOf = (written: string): Reference => {
  const text = written.trim();
  if (!PATH.test(text)) {
    throw new TemplateError(`{{${written}}} is not a path such as {{ inputs.topic }}`);
  }
  const parts = text.match(PART) ?? [];
  if (parts.some((part) => FORBIDDEN.includes(part))) {
    throw new TemplateError(`{{${written}}} has a name that is not allowed`);
  }
  return { text, path: parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part)) };
};

/** @throws TemplateError */
const templateOf = (text: string): Template => {
  const parts: (string | Reference)[] = [];
  let end = 0;
  for (const match of text.matchAll(EXPRESSION)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(referenceOf(match[1] ?? ''));
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  if (parts.some((part) => typeof part === 'string' && part.includes('{{'))) {
    throw new TemplateError('{{ is not closed by }}');
  }
  return parts;
};

/** A reference, and where it stands in the value. */
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

/** What the roots of references stand for. */
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

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/**
 * The value with every reference replaced. A string that is one reference becomes the value itself,
 * of whatever type; in a longer string, anything but text is written as JSON.
 * @throws TemplateError
 */
export const resolved = (value: unknown, scope: Scope): unknown => {
  if (typeof value === 'string') return resolvedText(value, scope);
  if (Array.isArray(value)) return value.map((entry) => resolved(entry, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, resolved(entry, scope)]),
  );
};

const resolvedText = (text: string, scope: Scope): unknown => {
  const template = templateOf(text);
  const [only] = template;
  if (template.length === 1 && typeof only === 'object') return lookUp(only, scope);
  return template
    .map((part) => (typeof part === 'string' ? part : textOf(lookUp(part, scope))))
    .join('');
};
