import { describe, expect, it } from '@jest/globals';
import { grammarSchemaOf } from './json-grammar.js';

const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  ...more,
});

describe('a JSON Schema as a grammar', () => {
  it('keeps the shape and what describes it, and leaves other notes out', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'A plan',
      anyOf: [
        object(
          { tool: { const: 'calculator', type: 'string' }, count: { type: 'integer' } },
          { required: ['tool'], additionalProperties: false },
        ),
        object({
          names: { type: 'array', items: { type: 'string', maxLength: 8 }, maxItems: 3 },
          when: { type: 'string', format: 'date' },
          kind: { enum: ['a', 2, null] },
          either: { type: ['string', 'null'], description: 'or nothing' },
        }),
      ],
    };
    expect(grammarSchemaOf(schema)).toEqual({
      schema: {
        oneOf: [
          object({ tool: { const: 'calculator' }, count: { type: 'integer' } }),
          object({
            names: { type: 'array', items: { type: 'string', maxLength: 8 }, maxItems: 3 },
            when: { type: 'string', format: 'date' },
            kind: { enum: ['a', 2, null] },
            either: { type: ['string', 'null'], description: 'or nothing' },
          }),
        ],
      },
    });
  });

  const nested = (levels: number): object =>
    levels === 0 ? { type: 'null' } : { type: 'array', items: nested(levels - 1) };

  it.each([
    ['a pattern', object({ id: { type: 'string', pattern: '^a' } }), '.id has pattern'],
    ['a bound', object({ n: { type: 'integer', minimum: 1 } }), '.n has minimum'],
    ['a reference', { $ref: '#/$defs/a' }, 'the schema has no type'],
    ['any type', {}, 'the schema has no type'],
    ['an unknown format', { type: 'string', format: 'uuid' }, 'has the format "uuid"'],
    ['free properties', object({}, { additionalProperties: true }), 'additionalProperties'],
    ['no variants', { oneOf: [] }, 'has no variants'],
    ['a list without items', { type: 'array' }, '[] is not a schema object'],
    ['a depth without end', nested(18), 'nested deeper than 16 levels'],
  ])('names what it cannot keep: %s', (_, schema, fault) => {
    expect(grammarSchemaOf({ ...schema })).toEqual({ fault: expect.stringContaining(fault) });
  });

  it('takes the deepest schema that it allows', () => {
    expect(grammarSchemaOf({ ...nested(16) })).toHaveProperty('schema');
  });
});
