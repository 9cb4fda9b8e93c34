import { beforeEach, describe, expect, it } from '@jest/globals';
import { type GuardedTexts } from '#events/guards/guard.events.js';
import { guardWith } from './guarded-chat.fixture.js';
import { type GuardedChat } from './guarded-chat.js';

const MAIL = 'ada@knots.example';
const CARD = '4242 4242 4242 4242';
const REDACT = 'id: mail, what: email, on: both, do: redact';
const BLOCK = 'id: cards, what: card, on: both, do: block';
const FLAG = 'id: seen, what: email, on: both, do: flag';

let recorded: Omit<GuardedTexts, 'readAt'>[];
beforeEach(() => {
  recorded = [];
});

const guardOf = (...lines: readonly string[]): GuardedChat =>
  guardWith(lines, { recorded, verdictOf: () => Promise.reject(new Error('away')) });

describe('texts that are no chat', () => {
  it('are redacted and blocked alike', async () => {
    const body = { model: MAIL, input: [`I am ${MAIL}`, 'b'], encoding_format: 'float' };
    expect(await guardOf(REDACT).texts(body)).toEqual({
      ...body,
      input: ['I am [redacted:mail]', 'b'],
    });
    const clean = { model: 'acme/m', prompt: 'a star' };
    expect(await guardOf(REDACT, BLOCK).texts(clean)).toBe(clean);
    await expect(guardOf(BLOCK).texts({ prompt: CARD })).rejects.toMatchObject({
      code: 'guard_blocked',
    });
    expect(recorded).toMatchObject([
      { on: 'request', hits: [{ rule: 'mail', matches: 1 }] },
      { on: 'request', hits: [{ rule: 'cards', matches: 1 }] },
    ]);
  });

  it('are rejected by their field where they are none, unless all rules fail open', async () => {
    const body = { model: 'acme/m', input: [[1, 2]] };
    await expect(guardOf(FLAG).texts(body, 'input')).rejects.toMatchObject({
      failure: { status: 400, param: 'input' },
    });
    expect(await guardOf(`${FLAG}, fails: open`).texts(body, 'input')).toBe(body);
    expect(recorded).toHaveLength(2);
    const ofAnswers = guardOf('id: mail, what: email, on: answer, do: redact');
    expect(await ofAnswers.texts(body, 'input')).toBe(body);
    expect(recorded).toHaveLength(2);
  });
});
