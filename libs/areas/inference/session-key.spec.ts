import { describe, expect, it } from '@jest/globals';
import { orderOf } from '#platform/chats/chat-order.fixture.js';
import { sessionKeyOf } from './session-key.js';

const hash = (text: string): string => text;
const system = { role: 'system', content: 'You tie knots.' };
const user = (content: unknown) => ({ role: 'user', content });
const LONG = 1_024;
const keyOf = (body: object, sessionId?: string, promptTokensMax = LONG): string | undefined => {
  const order = { ...orderOf(body), ...(sessionId !== undefined && { sessionId }) };
  return sessionKeyOf(order, promptTokensMax, hash);
};

describe('the session of a chat', () => {
  it('is the cache key of the body, else the header, else the opening', () => {
    expect(keyOf({ prompt_cache_key: 'k' }, 'h')).toBe('key k');
    expect(keyOf({}, 'h')).toBe('id h');
    expect(keyOf({ messages: [system, user('Hi')] })).toBe(
      'opening system 14 You tie knots.\nuser 2 Hi',
    );
  });

  it('stays the same while the conversation grows, and differs where it begins otherwise', () => {
    const opening = [system, user('Hi')];
    const grown = [...opening, { role: 'assistant', content: 'Hello' }, user('And now?')];
    expect(keyOf({ messages: grown })).toBe(keyOf({ messages: opening }));
    expect(keyOf({ messages: [system, user('Ho')] })).not.toBe(keyOf({ messages: opening }));
    const parts = [{ type: 'text', text: 'Hi' }];
    expect(keyOf({ messages: [system, user(parts)] })).toBe(keyOf({ messages: opening }));
  });

  it('has a name to be known by where the prompt is too short for a cache', () => {
    const messages = [system, user('Hi')];
    expect(keyOf({ messages }, undefined, LONG - 1)).toBeUndefined();
    expect(keyOf({ messages }, 'h', LONG - 1)).toBe('id h');
  });

  it('reads a bounded part of long messages', () => {
    const key = keyOf({ messages: [{ ...system, content: 'x'.repeat(100_000) }, user('Hi')] });
    expect(key).toMatch(/^opening /);
    expect(key?.length).toBeLessThan(2_200);
  });
});
