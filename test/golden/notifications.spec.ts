import { describe, expect, it } from '@jest/globals';
import { areas, publishers } from '#apps/composition/areas.js';
import { revive } from '#events/definition.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { goldenEvents } from './golden.files.js';

const golden = await goldenEvents();
const definitions = new Map(
  publishers.flatMap(({ events }) => events).map((definition) => [definition.type, definition]),
);
const cases = new Areas(areas).notifications().flatMap((notification) =>
  Object.keys(notification.on).map((event) => ({
    type: notification.type,
    event,
    notification,
  })),
);

describe('the body of each notification', () => {
  it.each(cases)('$type has its schema for $event', ({ event, notification: { body, schema } }) => {
    const definition = definitions.get(event);
    const stored = golden.filter(({ type }) => type === event);
    if (!definition || stored.length === 0) throw new Error(`no golden event ${event}`);
    for (const { type, version, content } of stored) {
      const sent: object = body(revive(definition, { type, version, data: content }));
      expect(schema.parse(sent)).toEqual(sent);
    }
  });
});
