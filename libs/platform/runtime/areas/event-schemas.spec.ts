import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineEvent } from '#events/definition.js';
import { HoldTerms, ProductGroup } from '#events/hold.vocabulary.js';
import { defineProduct } from '#platform/ledger/product.js';
import { eventSchemas } from './event-schemas.js';

describe('the JSON Schemas of events', () => {
  it('say what the definition says, and whose version it is', () => {
    const LoanGranted = defineEvent('LoanGranted', {
      version: 2,
      schema: z.strictObject({ loanId: z.string(), note: z.string().nullable() }),
    });
    expect(eventSchemas([{ name: 'lending', events: [LoanGranted] }])).toEqual([
      {
        area: 'lending',
        type: 'LoanGranted',
        version: 2,
        file: 'lending/LoanGranted.v2.json',
        schema: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $id: 'urn:quipu:event:lending:LoanGranted:2',
          title: 'LoanGranted, version 2',
          type: 'object',
          properties: {
            loanId: { type: 'string' },
            note: { type: ['string', 'null'] },
          },
          required: ['loanId', 'note'],
          additionalProperties: false,
        },
      },
    ]);
  });

  it('unite the evidence of all products, each with its purpose and group', () => {
    const BookHeld = defineEvent('BookHeld', {
      version: 1,
      schema: HoldTerms.extend({ group: ProductGroup }),
    });
    const productOf = (purpose: string, group: ProductGroup, evidence: string) =>
      defineProduct({
        purpose,
        group,
        title: `a ${purpose}`,
        meters: {},
        holdEvidence: z.strictObject({ [evidence]: z.string() }),
        captureEvidence: z.strictObject({}),
      });
    const [held] = eventSchemas([
      { name: 'lending', events: [BookHeld], products: [productOf('book', 'inference', 'isbn')] },
      { name: 'filming', events: [], products: [productOf('film', 'compute', 'reel')] },
    ]);
    const of = (purpose: string, group: string, evidence: string) => ({
      title: `a ${purpose}`,
      type: 'object',
      properties: {
        purpose: { const: purpose },
        group: { const: group },
        evidence: {
          type: 'object',
          properties: { [evidence]: { type: 'string' } },
          required: [evidence],
          additionalProperties: false,
        },
      },
    });
    expect(held?.schema['oneOf']).toEqual([
      of('book', 'inference', 'isbn'),
      of('film', 'compute', 'reel'),
    ]);
  });

  it('use only features of JSON Schema', () => {
    const Odd = defineEvent('Odd', { version: 1, schema: z.string().transform(Number) });
    expect(() => eventSchemas([{ name: 'lending', events: [Odd] }])).toThrow('Transforms');
  });
});
