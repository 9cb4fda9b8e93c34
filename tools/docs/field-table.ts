/** A JSON Schema, as far as a page shows it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** Replaces a reference by the schema that it names. */
export type Resolve = (schema: Schema) => Schema;

/** Deeper fields are in the document itself. */
const LEVELS_MAX = 3;
const CHOICES_MAX = 12;

interface Row {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/** Markdown that shows a text as it is, in a cell of a table. */
export const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('{{', '&#123;&#123;').replaceAll(/\s+/g, ' ').trim();

export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ''
    : [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** The fields of an object and of the objects in it, one row each; empty for another schema. */
export const fieldTable = (schema: Schema, resolve: Resolve): string =>
  tableOf(
    ['field', 'type', 'required', 'meaning'],
    rowsOf(schema, resolve, '', 1).map(({ name, type, required, description }) => [
      `\`${name}\``,
      cell(type),
      required ? 'yes' : 'no',
      cell(description),
    ]),
  );

const rowsOf = (schema: Schema, resolve: Resolve, prefix: string, level: number): Row[] => {
  const { properties = {}, required = [] } = merged(schema, resolve);
  return Object.entries(properties).flatMap(([field, value]) => {
    const own = resolve(value);
    const name = `${prefix}${field}`;
    const row = {
      name,
      type: typeOf(own, resolve),
      required: required.includes(field),
      description: value.description ?? own.description ?? '',
    };
    const inner = innerOf(own, resolve);
    if (level === LEVELS_MAX || inner === null) return [row];
    return [row, ...rowsOf(inner.schema, resolve, `${name}${inner.suffix}.`, level + 1)];
  });
};

/** The properties of all parts of an `allOf`. */
const merged = (schema: Schema, resolve: Resolve): Schema => {
  const { allOf = [], ...own } = resolve(schema);
  return [own, ...allOf.map((part) => merged(part, resolve))].reduce((all, part) => ({
    ...all,
    properties: { ...all.properties, ...part.properties },
    required: [...(all.required ?? []), ...(part.required ?? [])],
  }));
};

const innerOf = (schema: Schema, resolve: Resolve) => {
  const items = schema.items && resolve(schema.items);
  const isList = items?.properties !== undefined || items?.allOf !== undefined;
  if (items && isList) return { schema: items, suffix: '[]' };
  const isObject = schema.properties !== undefined || schema.allOf !== undefined;
  return isObject ? { schema, suffix: '' } : null;
};

export const typeOf = (schema: Schema, resolve: Resolve): string => {
  const { type, items, anyOf, oneOf, allOf, const: constant, enum: choices } = resolve(schema);
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``;
  if (choices) {
    const shown = choices.slice(0, CHOICES_MAX).map((choice) => `\`${JSON.stringify(choice)}\``);
    return [...shown, ...(choices.length > CHOICES_MAX ? ['…'] : [])].join(', ');
  }
  const variants = anyOf ?? oneOf;
  if (variants) return [...new Set(variants.map((one) => typeOf(one, resolve)))].join(' or ');
  if (type === 'array') return `list of ${items ? typeOf(items, resolve) : 'values'}`;
  if (typeof type === 'object') return type.join(' or ');
  return type ?? (allOf ? 'object' : 'any');
};
