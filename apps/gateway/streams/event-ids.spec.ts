import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { comment, dataEvent, DONE, namedEvent } from '../sse/sse.js';
import { EventIds } from './event-ids.js';
import { eventIdOf, placeOf } from './resumption.js';

const STREAM = '01980000-0000-7000-8000-000000000001';

describe('the ids of events', () => {
  it('count the events of a stream, over all of its texts', () => {
    const ids = new EventIds(STREAM);
    expect(ids.number(dataEvent({ a: 1 }) + namedEvent('end', null, {}))).toEqual([
      `id: ${STREAM}-1\ndata: {"a":1}\n\n`,
      `id: ${STREAM}-2\nevent: end\ndata: {}\n\n`,
    ]);
    expect(ids.number('')).toEqual([]);
    expect(ids.number(DONE)).toEqual([`id: ${STREAM}-3\n${DONE}`]);
  });

  it('leave a comment with the event after it: a client that has the one has the other', () => {
    const ids = new EventIds(STREAM);
    expect(ids.number(comment('cost=1'))).toEqual([]);
    expect(ids.number(DONE)).toEqual([`: cost=1\n\nid: ${STREAM}-1\n${DONE}`]);
  });

  it('change nothing else, whatever the data and the division into texts', () => {
    const event = fc.record({ text: fc.string() }).map(dataEvent);
    const texts = fc.array(
      fc.array(event).map((events) => events.join('')),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(texts, (parts) => {
        const ids = new EventIds(STREAM);
        const numbered = parts.flatMap((part) => ids.number(part)).join('');
        expect(numbered.replace(/^id: .*\n/gm, '')).toBe(parts.join(''));
      }),
    );
  });

  it('lead back to their place', () => {
    expect(placeOf(eventIdOf(STREAM, 12))).toEqual({ streamId: STREAM, after: 12 });
  });

  it.each(['12', STREAM, `${STREAM}-`, `${STREAM}--1`, `${STREAM}-1x`, `${STREAM}-1234567890`])(
    'are not %s',
    (written) => {
      expect(() => placeOf(written)).toThrow('Last-Event-ID: expected the id of an event');
    },
  );
});
