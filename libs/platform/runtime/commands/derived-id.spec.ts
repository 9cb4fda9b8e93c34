import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { v5 as uuidV5 } from 'uuid';
import { eventId, followUp } from './command-context.js';
import { derivedId } from './derived-id.js';
import { anyContext } from '../stock.fixture.js';

describe('a derived id', () => {
  it('is the UUID of version 5 of RFC 9562, appendix A.4', () => {
    const dnsNamespace = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    expect(derivedId('www.example.com', dnsNamespace)).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });

  it('agrees with the general library for every name and namespace', () => {
    const names = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(names, fc.uuid(), (name, namespace) => {
        expect(derivedId(name, namespace)).toBe(uuidV5(name, namespace));
      }),
    );
  });

  it.each(['', 'demo', '6ba7b810-9dad-11d1-80b4-00c04fd430c8-00', 'g'.repeat(32)])(
    'has no namespace %p',
    (namespace) => {
      expect(() => derivedId('name', namespace)).toThrow(RangeError);
    },
  );
});

describe('ids in a context', () => {
  it('are the same for every try of one request, and differ by stream, command and index', () => {
    const context = anyContext();
    const ids = [
      eventId(context, 'warehouse-a', 'AddPieces', 0),
      eventId(context, 'warehouse-a', 'AddPieces', 1),
      eventId(context, 'warehouse-a', 'TakePieces', 0),
      eventId(context, 'warehouse-b', 'AddPieces', 0),
      eventId(anyContext(), 'warehouse-a', 'AddPieces', 0),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(eventId({ ...context }, 'warehouse-a', 'AddPieces', 0)).toBe(ids[0]);
  });

  it('follow from their cause and keep its correlation', () => {
    const { requestId: id, correlationId } = anyContext();
    const context = followUp({ id, correlationId }, 'restock\n0', 'saga:restock');
    expect(context).toEqual({
      requestId: derivedId('restock\n0', id),
      correlationId,
      causationId: id,
      actor: 'saga:restock',
    });
  });
});
