import { describe, expect, it } from '@jest/globals';
import { type AnswerOfLog, AnswerSeal } from './answer.seal.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const request = { scope: 'user-7', key: 'k-1', body: bytes('{"model":"nano"}') };
const answer: AnswerOfLog = {
  status: 200,
  event: null,
  headers: { 'content-type': 'text/event-stream' },
  body: new Uint8Array([0, 255, 10, 13, 195, 169]),
};

describe('the seal of kept answers', () => {
  const seal = new AnswerSeal(new Uint8Array(32).fill(7));
  const identity = seal.identify(request);

  it('opens to the byte what it sealed', () => {
    expect(seal.open(identity, seal.seal(identity, answer))).toEqual(answer);
  });

  it('seals an empty body', () => {
    const empty = { ...answer, body: new Uint8Array() };
    expect(seal.open(identity, seal.seal(identity, empty))).toEqual(empty);
  });

  it('never seals the same answer to the same bytes', () => {
    expect(seal.seal(identity, answer)).not.toEqual(seal.seal(identity, answer));
  });

  it('gives one request one identity', () => {
    expect(seal.identify({ ...request })).toEqual(identity);
  });

  it('tells scope, key and body apart, wherever one ends and the next begins', () => {
    const hash = (scope: string, key: string): string =>
      Buffer.from(seal.identify({ ...request, scope, key }).keyHash).toString('hex');
    expect(new Set([hash('a', 'bc'), hash('ab', 'c'), hash('', 'abc')]).size).toBe(3);
  });

  it('does not show that two keys carried the same body', () => {
    const { fingerprint } = seal.identify({ ...request, key: 'k-2' });
    expect(fingerprint).not.toEqual(identity.fingerprint);
  });

  const unreadable = expect.objectContaining({ code: 'answer-unreadable' });

  it.each([0, 12, 28, 40])('rejects an answer whose byte %i was changed', (at) => {
    const sealed = Uint8Array.from(seal.seal(identity, answer));
    sealed.set([(sealed.at(at) ?? 0) ^ 1], at);
    expect(() => seal.open(identity, sealed)).toThrow(unreadable);
  });

  it('rejects an answer cut short', () => {
    const sealed = seal.seal(identity, answer);
    expect(() => seal.open(identity, sealed.subarray(0, 20))).toThrow(unreadable);
  });

  it('rejects an answer of another request, and under another secret', () => {
    const sealed = seal.seal(identity, answer);
    const other = seal.identify({ ...request, body: bytes('{}') });
    expect(() => seal.open(other, sealed)).toThrow(unreadable);
    const foreign = new AnswerSeal(new Uint8Array(32));
    expect(() => foreign.open(identity, sealed)).toThrow(unreadable);
  });

  it('rejects a secret of another length', () => {
    expect(() => new AnswerSeal(new Uint8Array(16))).toThrow('32 bytes');
  });
});
