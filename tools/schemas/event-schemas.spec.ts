import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineEvent } from '#events/definition.js';
import { eventSchemas } from './event-schemas.js';

describe('the JSON Schemas of events', () => {
  it('say what the definition says, and whose version it is', () => {
    const LoanGranted = defineEvent('LoanGranted', {
      version: 2,
      schema: z.strictObject({ loanId: z.string(), note: z.string().nullable() }),
    });
    expect(eventSchemas([{ name: 'lending', events: [LoanGranted] }])).toEqual([
      {
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

  it('are not made of what JSON Schema cannot say', () => {
    const Odd = defineEvent('Odd', { version: 1, schema: z.string().transform(Number) });
    expect(() => eventSchemas([{ name: 'lending', events: [Odd] }])).toThrow('Transforms');
  });
});
