import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT_SESSIONS_MAX,
  savingOf,
  SESSIONS_MAX,
  WARM_MS,
  WarmSessions,
} from './warm-sessions.js';

const placeOf = (account: string, session: string) => ({ account, model: 'm', session });

const served = {
  rig: 'a',
  key: 1,
  promptTokens: 2_000,
  completionTokens: 100,
  atMs: 0,
};

describe('warm sessions', () => {
  it('are forgotten after ten minutes, and are of one account and one model', () => {
    const sessions = new WarmSessions();
    sessions.remember(placeOf('7', 's'), served);
    expect(sessions.find(placeOf('7', 's'), WARM_MS - 1)).toEqual(served);
    expect(sessions.find(placeOf('7', 's'), WARM_MS)).toBeUndefined();
    expect(sessions.find(placeOf('8', 's'), 0)).toBeUndefined();
    expect(sessions.find({ ...placeOf('7', 's'), model: 'n' }, 0)).toBeUndefined();
  });

  it('are bounded for one account: its oldest goes first', () => {
    const sessions = new WarmSessions();
    sessions.remember(placeOf('8', 'kept'), served);
    for (let n = 0; n <= ACCOUNT_SESSIONS_MAX; n += 1) {
      sessions.remember(placeOf('7', `s${n}`), served);
    }
    expect(sessions.size).toBe(ACCOUNT_SESSIONS_MAX + 1);
    expect(sessions.find(placeOf('7', 's0'), 0)).toBeUndefined();
    expect(sessions.find(placeOf('7', 's1'), 0)).toEqual(served);
    expect(sessions.find(placeOf('8', 'kept'), 0)).toEqual(served);
  });

  it('are bounded in total: the account that was served longest ago gives way', () => {
    const sessions = new WarmSessions();
    const accounts = SESSIONS_MAX / ACCOUNT_SESSIONS_MAX;
    for (let account = 0; account <= accounts; account += 1) {
      for (let n = 0; n < ACCOUNT_SESSIONS_MAX; n += 1) {
        sessions.remember(placeOf(`${account}`, `s${n}`), served);
      }
    }
    expect(sessions.size).toBe(SESSIONS_MAX);
    expect(sessions.find(placeOf('0', 's999'), 0)).toBeUndefined();
    expect(sessions.find(placeOf('1', 's0'), 0)).toEqual(served);
  });

  it('save the part of the last answer that the cache makes cheaper', () => {
    const price = {
      inputMicroUsdPerMtok: '1000000',
      outputMicroUsdPerMtok: '5000000',
      classes: { cache_read_tokens: '100000' },
    };
    const size = { promptTokens: 10_000, completionTokens: 1_000 };
    // 10,000 x 0.9 of 10,000 + 5,000.
    expect(savingOf(size, price)).toBeCloseTo(0.6);
    expect(savingOf(size, null)).toBeCloseTo(9_000 / 14_000);
    expect(savingOf(size, { ...price, inputMicroUsdPerMtok: '0' })).toBeCloseTo(9_000 / 14_000);
  });
});
