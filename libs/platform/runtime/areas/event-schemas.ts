import { z } from 'zod';
import { type AnyEventDefinition } from '#events/definition.js';
import { CaptureEvidence, HoldEvidence } from '#events/hold.vocabulary.js';
import { type AnyProduct } from '#platform/ledger/product.js';

/** The part of `Area` that publishes events. */
export interface EventPublisher {
  readonly name: string;
  readonly events: readonly AnyEventDefinition[];
  readonly products?: readonly AnyProduct[];
}

type JsonSchema = Readonly<Record<string, unknown>>;

export interface EventSchema {
  readonly area: string;
  readonly type: string;
  readonly version: number;
  /** Under `schemas/`, with forward slashes. */
  readonly file: string;
  readonly schema: JsonSchema;
}

export const schemaFile = (area: string, type: string, version: number): string =>
  `${area}/${type}.v${version}.json`;

/**
 * JSON Schemas (draft 2020-12) of the `data` of every event in its newest version. Those of older
 * versions were generated when they were the newest, and stay as they are. An event that carries
 * evidence is one of the products of all areas: purpose, group and evidence belong together.
 * @throws when a schema says what JSON Schema cannot, such as a transformation
 */
export const eventSchemas = (areas: readonly EventPublisher[]): readonly EventSchema[] => {
  const products = areas.flatMap((area) => area.products ?? []);
  return areas.flatMap(({ name, events }) =>
    events.map(({ type, version, schema }) => {
      const { $schema, ...body } = jsonSchemaOf(schema);
      return {
        area: name,
        type,
        version,
        file: schemaFile(name, type, version),
        schema: {
          $schema,
          $id: `urn:quipu:event:${name}:${type}:${version}`,
          title: `${type}, version ${version}`,
          ...body,
          ...productsOf(schema, products),
        },
      };
    }),
  );
};

const jsonSchemaOf = (schema: z.ZodType): JsonSchema => {
  const { $schema, ...body } = z.toJSONSchema(schema, { target: 'draft-2020-12' });
  return { $schema, ...body };
};

const productsOf = (schema: z.ZodType, products: readonly AnyProduct[]): JsonSchema => {
  const evidence: unknown = schema instanceof z.ZodObject ? schema.shape['evidence'] : undefined;
  switch (evidence) {
    case HoldEvidence:
      return oneOfProducts(products, ({ holdEvidence }) => holdEvidence);
    case CaptureEvidence:
      return oneOfProducts(products, ({ captureEvidence }) => captureEvidence);
    default:
      return {};
  }
};

const oneOfProducts = (
  products: readonly AnyProduct[],
  evidenceOf: (product: AnyProduct) => z.ZodType,
): JsonSchema => ({
  oneOf: products.map((product) => {
    const { $schema: _, ...evidence } = jsonSchemaOf(evidenceOf(product));
    const { purpose, group, title } = product;
    const properties = { purpose: { const: purpose }, group: { const: group }, evidence };
    return { title, type: 'object', properties };
  }),
});
