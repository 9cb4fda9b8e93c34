import { expect, it } from '@jest/globals';
import { type ListOptions } from '#platform/read-store/read-store.port.js';
import { apiKeyKey, type ListedApiKey } from '#projections/identity/api-keys.projection.js';
import { EndingKeys } from './ending-keys.js';

const NOW = '2026-11-26T06:00:00.000Z';

const keyOf = (letter: string, endsAt: string | null, change: object = {}) => {
  const keyHash = letter.repeat(64);
  const facts = { keyHash, userId: 7, sessionId: null, isRotated: false, endsAt, ...change };
  return { key: apiKeyKey(7, endsAt, keyHash), document: facts as unknown as ListedApiKey };
};

it('are the keys that end within the days, without keys of sessions and rotated ones', async () => {
  const documents = [
    keyOf('a', '2026-11-26T06:00:00.000Z'),
    keyOf('b', '2026-12-03T06:00:00.000Z'),
    keyOf('c', '2026-12-03T06:00:00.001Z'),
    keyOf('d', '2026-11-27T06:00:00.000Z', { sessionId: '0' }),
    keyOf('e', '2026-11-27T06:00:00.000Z', { isRotated: true }),
    keyOf('f', null),
  ];
  const asked: ListOptions[] = [];
  const list = (_: unknown, options: ListOptions) => {
    asked.push(options);
    return Promise.resolve({ documents, position: 0n });
  };
  const keys = new EndingKeys({ list } as never, { now: () => Date.parse(NOW) });
  expect(await keys.within('7', 7)).toEqual([
    {
      kind: 'key_ending',
      keyId: 'b'.repeat(16),
      endsAt: '2026-12-03T06:00:00.000Z',
      withinDays: 7,
    },
  ]);
  expect(asked).toMatchObject([{ prefix: '7/', from: `7/${NOW}/` }]);
});
