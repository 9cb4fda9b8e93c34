/** The part of an OpenAPI document that the attacks read. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export type Envelope = 'openai' | 'anthropic' | 'application' | 'json-rpc';

/** One route of the document, with the answers that it promises. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** A body that the schema admits, with its required fields, where the route takes one. */
  readonly body: unknown;
  /** The media types of that body. */
  readonly bodyTypes: readonly string[];
  /** A value for each further field of that body. */
  readonly optional: Readonly<Record<string, unknown>>;
  /** The documented statuses of all operations that a request to the path may reach. */
  readonly statusesOfPath: ReadonlySet<number>;
  readonly statuses: ReadonlySet<number>;
  /** The media types of an answer with this status; empty where the document names none. */
  readonly mediaTypes: (status: number) => readonly string[];
  /** Of its failures. */
  readonly envelopes: readonly Envelope[];
  /** The credentials that open it, by the names of the document; empty for an open route. */
  readonly schemes: ReadonlySet<string>;
}

/** Values that the document cannot know, by the name of their field. */
export type KnownValues = Readonly<Record<string, unknown>>;

export const operationsOf = (
  { paths, components }: OpenApiDocument,
  known: KnownValues,
): readonly Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => {
      const { operationId, parameters = [], requestBody, responses, security = [] } = described;
      const schema = requestBody && Object.values(requestBody.content)[0]?.schema;
      const sample = new Sample(components.schemas, known);
      return {
        id: operationId,
        method: method.toUpperCase(),
        path,
        parameters,
        body: schema && sample.of(schema),
        bodyTypes: Object.keys(requestBody?.content ?? {}),
        optional: schema ? sample.optionalOf(schema) : {},
        statuses: statusesOf(responses),
        statusesOfPath: statusesOfPath(paths, path),
        mediaTypes: (status: number) => Object.keys(responses[String(status)]?.content ?? {}),
        envelopes: envelopesOf(responses),
        schemes: new Set(security.flatMap((one) => Object.keys(one))),
      };
    }),
  );

const statusesOfPath = (paths: OpenApiDocument['paths'], path: string): ReadonlySet<number> =>
  new Set(
    Object.entries(paths)
      .filter(([other]) => mayTake(other, path))
      .flatMap(([, item]) => Object.values(item))
      .flatMap(({ responses }) => [...statusesOf(responses)]),
  );

/** With another method, a request may go to a path with a parameter in place of a name. */
const mayTake = (other: string, path: string): boolean => {
  const names = path.split('/');
  const others = other.split('/');
  return (
    others.length === names.length &&
    others.every((name, at) => name === names[at] || name.startsWith('{'))
  );
};

const statusesOf = (responses: DescribedOperation['responses']): ReadonlySet<number> =>
  new Set(Object.keys(responses).map(Number));

/** A route of JSON-RPC has the envelope of the application where the protocol leaves it open. */
const envelopesOf = (responses: DescribedOperation['responses']): readonly Envelope[] => {
  const described = JSON.stringify(responses);
  if (described.includes('/OpenAiFailure')) return ['openai'];
  if (described.includes('/AnthropicFailure')) return ['anthropic'];
  return described.includes('"jsonrpc"') ? ['application', 'json-rpc'] : ['application'];
};

const TEXT = 'knots';

/** Values that schemas admit. */
class Sample {
  constructor(
    private readonly schemas: OpenApiDocument['components']['schemas'],
    private readonly known: KnownValues,
  ) {}

  of(schema: Schema): unknown {
    const { properties, required = [], items, anyOf, oneOf, allOf } = this.#resolved(schema);
    const { example, default: usual, enum: values, type, minimum } = this.#resolved(schema);
    if (example !== undefined) return this.#withKnown(example);
    if (usual !== undefined) return usual;
    if (values) return values[0];
    const [first] = anyOf ?? oneOf ?? allOf ?? [];
    if (first) return this.of(first);
    if (properties) return this.#fields(properties, (name) => required.includes(name));
    if (items) return [this.of(items)];
    const [one = 'string'] = [type].flat();
    switch (one) {
      case 'integer':
      case 'number':
        return minimum ?? 1;
      case 'boolean':
        return true;
      case 'array':
        return [];
      case 'object':
        return {};
      case 'null':
        return null;
      default:
        return TEXT;
    }
  }

  optionalOf(schema: Schema): Readonly<Record<string, unknown>> {
    const { properties = {}, required = [] } = this.#resolved(schema);
    return this.#fields(properties, (name) => !required.includes(name));
  }

  #fields(properties: Readonly<Record<string, Schema>>, isWanted: (name: string) => boolean) {
    const wanted = Object.entries(properties).filter(([name]) => isWanted(name));
    return Object.fromEntries(
      wanted.map(([name, one]) => [name, this.known[name] ?? this.of(one)]),
    );
  }

  /** The example of a whole object may have values of another installation. */
  #withKnown(example: unknown): unknown {
    if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
    const entries = Object.entries(example);
    return Object.fromEntries(entries.map(([name, value]) => [name, this.known[name] ?? value]));
  }

  #resolved(schema: Schema): Schema {
    const { $ref } = schema;
    return $ref === undefined ? schema : (this.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  }
}
