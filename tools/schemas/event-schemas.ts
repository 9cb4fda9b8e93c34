import { z } from 'zod';
import { type AnyEventDefinition } from '#events/definition.js';

/** What an area publishes; `Area` has it, and more. */
export interface EventPublisher {
  readonly name: string;
  readonly events: readonly AnyEventDefinition[];
}

export interface EventSchema {
  /** Under `schemas/`, with forward slashes. */
  readonly file: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export const schemaFile = (area: string, type: string, version: number): string =>
  `${area}/${type}.v${version}.json`;

/**
 * JSON Schemas (draft 2020-12) of the `data` of every event in its newest version. Those of older
 * versions were generated when they were the newest, and stay as they are.
 * @throws when a schema says what JSON Schema cannot, such as a transformation
 */
export const eventSchemas = (areas: readonly EventPublisher[]): readonly EventSchema[] =>
  areas.flatMap(({ name, events }) =>
    events.map(({ type, version, schema }) => {
      const { $schema, ...body } = z.toJSONSchema(schema, { target: 'draft-2020-12' });
      return {
        file: schemaFile(name, type, version),
        schema: {
          $schema,
          $id: `urn:quipu:event:${name}:${type}:${version}`,
          title: `${type}, version ${version}`,
          ...body,
        },
      };
    }),
  );
