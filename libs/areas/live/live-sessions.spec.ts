import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ProcessCalls } from '#platform/runtime/process/process-calls.js';
import { LiveError } from './live.failures.js';
import { closeLive, openLive, ScriptedSocket } from './live.fixture.js';
import { SESSIONS_MAX } from './live-sessions.js';

const broke = () => new DomainError('insufficient_balance', 'too little');
const unknownToken = `live_${'0'.repeat(43)}`;
const offer = JSON.stringify({ type: 'offer', sdp: 'v=0' });

describe('the sessions of a process', () => {
  afterEach(closeLive);

  it('are held before they are there, and their token is nowhere in the log', async () => {
    const { ledger, open, events } = openLive();
    const token = await open();
    expect(ledger.calls).toEqual(['demandFunds', 'place']);
    const [opened] = await events();
    expect(opened).toMatchObject({ type: 'LiveSessionOpened', data: { rig: 'built-in' } });
    expect(JSON.stringify(opened?.data)).not.toContain(token);
  });

  it('are not there for an account that cannot pay', async () => {
    const { ledger, open, events } = openLive();
    ledger.failures.place = broke();
    await expect(open()).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(await events()).toEqual([]);
  });

  it('belong to their account', async () => {
    const { open, draw } = openLive();
    const token = await open();
    expect((await draw(token)).frame.frameId).toBe(1);
    const rejected = { code: 'live_session_not_found' };
    await expect(draw(token, {}, '8')).rejects.toMatchObject(rejected);
    await expect(draw(unknownToken)).rejects.toMatchObject(rejected);
    await expect(draw('live_short')).rejects.toMatchObject(rejected);
  });

  it('are limited for an account and for the process', async () => {
    const { open } = openLive();
    const asked = await Promise.allSettled([open(), open(), open()]);
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(open()).rejects.toMatchObject({ code: 'too_many_live_sessions' });
    for (let account = 100; account < 100 + SESSIONS_MAX - 2; account += 1) {
      await open({ accountId: String(account) });
    }
    await expect(open({ accountId: '999' })).rejects.toMatchObject({ kind: 'busy' });
  });

  it('do not know another model than the embedded one', async () => {
    const { open } = openLive();
    await expect(open({ model: 'flux-dev' })).rejects.toMatchObject({
      kind: 'model',
      message: expect.stringContaining('quipu-scenes'),
    });
  });

  it('are renewed each minute, with the frames so far in the log', async () => {
    const { ledger, open, draw, pass, events } = openLive();
    const token = await open();
    for (let minute = 0; minute < 2; minute += 1) {
      await draw(token);
      await pass(55);
    }
    expect(ledger.renewals).toHaveLength(2);
    const renewed = (await events()).filter(({ type }) => type === 'LiveSessionRenewed');
    expect(renewed.map(({ data }) => (data as { frames: number }).frames)).toEqual([1, 2]);
  });

  it('end with notice when the account cannot pay for another minute', async () => {
    const { ledger, sessions, open, pass, events } = openLive();
    const token = await open();
    const socket = new ScriptedSocket();
    const connection = await sessions.connect(token, socket);
    await connection.receive(offer);
    ledger.failures.renew = broke();
    for (let second = 0; second < 50; second += 1) {
      connection.alive();
      await pass(1);
    }
    const notice = { type: 'notice', reason: 'funds', ends_at: '2026-11-26T05:01:00.000Z' };
    expect(socket.heard.filter(({ type }) => type === 'notice')).toEqual([notice]);
    expect(socket.closedWith).toBeNull();
    for (let second = 0; second < 11; second += 1) {
      connection.alive();
      await pass(1);
    }
    expect(socket.heard.at(-1)).toEqual({ type: 'bye', reason: 'funds' });
    expect(socket.closedWith).toEqual({ code: 1_000, reason: 'funds' });
    expect((await events()).at(-1)).toMatchObject({
      type: 'LiveSessionEnded',
      data: { reason: 'funds', minutes: 1 },
    });
  });

  it('go on when the account can pay again before the end', async () => {
    const { ledger, open, pass, draw } = openLive();
    const token = await open();
    ledger.failures.renew = broke();
    await pass(50);
    delete ledger.failures.renew;
    await draw(token);
    await pass(20);
    expect((await draw(token)).frame.frameId).toBe(2);
  });

  it('end when they are not used, and are free then', async () => {
    const { open, pass, events, draw } = openLive();
    const token = await open();
    await pass(61);
    expect((await events()).at(-1)).toMatchObject({
      type: 'LiveSessionEnded',
      data: { reason: 'silence', minutes: 0, frames: 0 },
    });
    await expect(draw(token)).rejects.toMatchObject({ code: 'live_session_ended' });
  });

  it('end with their token', async () => {
    const { open, draw, clock, events } = openLive();
    const token = await open();
    clock.atMs += 600_000;
    await expect(draw(token)).rejects.toMatchObject({ code: 'live_session_ended' });
    expect((await events()).at(-1)).toMatchObject({ data: { reason: 'expired' } });
  });

  it('have one signalling connection at a time', async () => {
    const { sessions, open } = openLive();
    const token = await open();
    const socket = new ScriptedSocket();
    const first = await sessions.connect(token, socket);
    const second = { code: 'live_signalling_open' };
    await expect(sessions.demandConnectable(token)).rejects.toMatchObject(second);
    const connecting = sessions.connect(token, new ScriptedSocket());
    await expect(connecting).rejects.toMatchObject(second);
    await first.closed();
    await sessions.connect(token, new ScriptedSocket());
    const both = [sessions.connect(await open(), socket), sessions.demandConnectable(unknownToken)];
    const [, unknown] = await Promise.allSettled(both);
    expect(unknown).toMatchObject({ reason: { code: 'live_session_not_found' } });
  });

  it('end when the client hangs up', async () => {
    const { sessions, open, peers, events } = openLive();
    const socket = new ScriptedSocket();
    const connection = await sessions.connect(await open(), socket);
    await connection.receive('{"type":"bye"}');
    expect(socket.closedWith?.reason).toBe('hang_up');
    expect(peers.ended).toHaveLength(1);
    expect((await events()).at(-1)).toMatchObject({
      data: { reason: 'hang_up', minutes: 1, frames: 0 },
    });
  });

  it('continue in another process, to which the client comes with the same token', async () => {
    const first = openLive();
    const token = await first.open();
    await first.draw(token);
    const before = new ScriptedSocket();
    await first.sessions.connect(token, before);
    await first.sessions.onModuleDestroy();
    expect(before.closedWith?.code).toBe(1_001);
    const second = openLive(first.log, 'two');
    const socket = new ScriptedSocket();
    await second.sessions.connect(token, socket);
    expect(socket.heard).toMatchObject([{ type: 'ready', needs_prompt: true }]);
    expect((await second.draw(token)).frame.frameId).toBe(2);
    await second.pass(50);
    // The ledger of a test knows no hold of another process, and so places it again.
    expect(second.ledger.calls).toEqual(['renew', 'place']);
  });

  it('are drawn by their process, whichever process of the port is asked', async () => {
    const calls = new Map([
      ['one', new ProcessCalls()],
      ['two', new ProcessCalls()],
    ]);
    for (const each of calls.values()) {
      each.connect(async ({ host, ...call }) => {
        const answer = await calls.get(host)?.receive(call);
        return calls.has(host) ? { answer } : null;
      });
    }
    const first = openLive(undefined, 'one', calls.get('one'));
    const second = openLive(first.log, 'two', calls.get('two'));
    const token = await first.open();
    await first.draw(token);
    expect((await second.draw(token)).frame.frameId).toBe(2);
    expect(first.maker.orders[1]?.start).toBe('frame 1');
    expect((await second.sessions.latestFrame(token, '7'))?.frameId).toBe(2);
    const rejected = { code: 'live_session_not_found' };
    await expect(second.draw(token, {}, '8')).rejects.toMatchObject(rejected);
    first.maker.failure = new LiveError('busy', 'later');
    await expect(second.draw(token)).rejects.toMatchObject({ kind: 'busy', message: 'later' });
    first.maker.failure = null;

    const socket = new ScriptedSocket();
    const connection = await first.sessions.connect(token, socket);
    const open = second.sessions.demandConnectable(token);
    await expect(open).rejects.toMatchObject({ code: 'live_signalling_open' });
    await connection.closed();
    await second.sessions.connect(token, new ScriptedSocket());
    expect((await first.draw(token)).frame.frameId).toBe(3);
    expect(second.maker.orders).toHaveLength(1);
    calls.delete('two');
    expect((await first.draw(token)).frame.frameId).toBe(3);
    expect(first.maker.orders).toHaveLength(4);
  });

  it('are dropped by a process that their client has left for another', async () => {
    const first = openLive();
    const token = await first.open();
    const second = openLive(first.log, 'two');
    await second.sessions.connect(token, new ScriptedSocket());
    await first.pass(50);
    const ended = (await first.events()).filter(({ type }) => type === 'LiveSessionEnded');
    expect(ended).toEqual([]);
    await turn();
    expect(first.peers.ended).toHaveLength(1);
  });
});
