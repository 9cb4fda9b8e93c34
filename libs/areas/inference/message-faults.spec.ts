import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Message } from './chat-body.js';
import { faultsOf, ROLES } from './message-faults.js';

const part = fc.oneof(
  fc.record({ type: fc.oneof(fc.string(), fc.integer()), text: fc.string() }),
  fc.jsonValue(),
);
const message = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      role: fc.oneof(fc.constantFrom(...ROLES), fc.string()),
      content: fc.oneof(fc.string(), fc.constant(null), fc.array(part), fc.jsonValue()),
      name: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
);

describe('the faults of messages', () => {
  it('are found where the documented schema finds them', () => {
    fc.assert(
      fc.property(message, (one) => {
        const { success, error } = Message.safeParse(one);
        const faults = faultsOf([one]);
        expect(faults).toHaveLength(success ? 0 : 1);
        if (!success) expect(faults[0]?.param).toContain(String(error.issues[0]?.path[0] ?? ''));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are one for each message, with its number', () => {
    const messages = [{ role: 'user' }, { role: 'x', content: 1 }, 'x'];
    expect(faultsOf(messages).map(({ param }) => param)).toEqual([
      'messages[1].role',
      'messages[2]',
    ]);
  });
});
