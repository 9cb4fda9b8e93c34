import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { TURNS } from './looker.js';
import { STREAMS_PER_ACCOUNT_MAX } from './vision-streams.js';
import {
  FRAME,
  openVision,
  orderOf,
  REQUEST,
  seen,
  SETTINGS,
  star,
  visionOn,
  type VisionWorldOptions,
  WEIGHTS,
} from './vision-world.fixture.js';

const opened: { onModuleDestroy(): Promise<void> }[] = [];
afterAll(async () => {
  for (const pictures of opened) await pictures.onModuleDestroy();
});

paidWorkContract('vision', {
  requestMsMax: SETTINGS.requestMsMax,
  open: (paid, clock, work) => {
    const { handler, pictures } = visionOn(paid, clock, {
      look: async () => {
        await Promise.resolve();
        work();
        return seen();
      },
    });
    opened.push(pictures);
    return Promise.resolve((order, signal) => handler.execute({ ...orderOf(), ...order }, signal));
  },
});

describe('a look at a frame of a caller', () => {
  let world: ReturnType<typeof openVision>;
  const open = (options: VisionWorldOptions = {}) => (world = openVision(options));
  afterEach(() => world.close());

  it('is held and charged as one frame, scaled to the side of the engine', async () => {
    const { ledger, look, tasks } = open();
    const answer = await look();
    expect(answer).toMatchObject({
      frameId: REQUEST,
      engine: `embedded:quipu-shapes@${WEIGHTS}`,
      elapsedMs: 4,
      framesPerSecond: 250,
      objects: [{ label: 'star', trackId: null }],
      stream: null,
    });
    const lines = [{ meter: 'vision_frames', quantity: 1 }];
    const evidence = { mode: 'detect', source: 'request' };
    expect(ledger.placed).toMatchObject({ purpose: 'vision', lines, evidence });
    expect(ledger.captured).toMatchObject({
      lines,
      excess: [],
      evidence: {
        ...evidence,
        engine: answer.engine,
        objects: 1,
        frameHash: `hash of ${FRAME.toString('base64')}`,
      },
    });
    expect(tasks).toMatchObject([{ mode: 'detect', width: 128, height: 64, background: null }]);
    expect(Buffer.from(tasks[0]?.pixels ?? '', 'base64')).toEqual(Buffer.alloc(128 * 64 * 3, 128));
  });

  it('follows objects from frame to frame of a stream of its account', async () => {
    const places = [0, 0.05, 0.1, 0];
    const { look, clock } = open({
      look: () => Promise.resolve(seen(star(places.shift() ?? 0))),
    });
    const frame = async (accountId: string) => {
      const { objects, stream } = await look({ accountId, streamId: 'door' });
      clock.nowMs += 100;
      return [objects[0]?.trackId, stream?.frames, stream?.framesPerSecond];
    };
    expect(await frame('7')).toEqual([1, 1, null]);
    expect(await frame('7')).toEqual([1, 2, 10]);
    expect(await frame('8')).toEqual([1, 1, null]);
    clock.nowMs += SETTINGS.streamIdleMs;
    // Forgotten: the stream begins again.
    expect(await frame('7')).toEqual([1, 1, null]);
  });

  it('hands the background of a stream to its next frame, in order', async () => {
    let number = 0;
    const { look, tasks } = open({
      look: async () => {
        number += 1;
        const background = `${number}`.padStart(4, '0');
        await new Promise((resolve) => setTimeout(resolve, 20 / number));
        return { ...seen(), background };
      },
    });
    const motion = { mode: 'motion', confidence: 0.3, overlap: 0.5 } as const;
    const frames = [1, 2, 3].map(() => look({ look: motion, streamId: 'door' }));
    const [, , last] = await Promise.all(frames);
    expect(tasks.map(({ background }) => background)).toEqual([null, '0001', '0002']);
    expect(last).toMatchObject({ engine: 'classical:motion', stream: { frames: 3 } });
  });

  it('takes the frame of a live session, whose frames are a stream', async () => {
    const { look, live, ledger } = open();
    live.sessions.set('7/live-1', { frameId: 'frame-9', file: FRAME });
    expect(await look({ file: null, sessionId: 'live-1' })).toMatchObject({
      frameId: 'frame-9',
      objects: [{ trackId: 1 }],
      stream: { frames: 1 },
    });
    expect(ledger.placed.evidence).toMatchObject({ source: 'session' });
  });

  it.each([
    ['an unknown session', { sessionId: 'live-2' }, 'vision_session_not_found'],
    [
      'a session of another account',
      { accountId: '8', sessionId: 'live-1' },
      'vision_session_not_found',
    ],
    ['a session without a frame', { file: null, sessionId: 'live-0' }, 'vision_session_empty'],
    ['no image', { file: null }, 'vision_source_invalid'],
    [
      'motion without a stream',
      { look: { mode: 'motion', confidence: 0.3, overlap: 0.5 } },
      'vision_stream_needed',
    ],
  ] as const)('is rejected before a hold for %s', async (_, changes, code) => {
    const { look, live, ledger } = open();
    live.sessions.set('7/live-1', { frameId: 'frame-9', file: FRAME }).set('7/live-0', null);
    await expect(look(changes)).rejects.toMatchObject({ code });
    expect(ledger.calls).toEqual([]);
  });

  it('bounds the streams of one account alone', async () => {
    const { look } = open();
    for (let at = 0; at < STREAMS_PER_ACCOUNT_MAX; at += 1)
      await look({ streamId: `camera-${at}` });
    await expect(look({ streamId: 'one-more' })).rejects.toMatchObject({
      code: 'too_many_vision_streams',
    });
    expect(await look({ streamId: 'camera-0' })).toMatchObject({ stream: { frames: 2 } });
    expect(await look({ accountId: '8', streamId: 'one-more' })).toMatchObject({
      stream: { frames: 1 },
    });
  });

  it('is free for a file that cannot be read, which is named', async () => {
    const { look, ledger } = open();
    await expect(look({ file: Buffer.from('GIF89a') })).rejects.toMatchObject({
      code: 'vision_image_unreadable',
      message: expect.stringContaining('image_base64: '),
    });
    expect(ledger.calls).toEqual(['place', 'release refused']);
  });

  it.each([
    ['busy', 'busy'],
    ['no_worker', 'away'],
    ['model_damaged', 'failed'],
  ])('is free when the engine fails with %s', async (code, kind) => {
    const { look, ledger } = open({ look: () => Promise.reject(new TaskError(code, 'why')) });
    await expect(look()).rejects.toMatchObject({ name: 'VisionError', kind });
    expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
  });

  it('is free when its time is up', async () => {
    const { look, ledger } = open({ look: () => Promise.resolve(null) });
    const late = AbortSignal.abort(new RequestCutError('timed_out'));
    await expect(look({}, late)).rejects.toMatchObject({ reason: 'timed_out' });
    expect(ledger.calls).toEqual(['place', 'release timed_out']);
  });

  it('is not sold without a price', async () => {
    const { look, ledger } = open({ prices: { inForce: () => undefined } });
    await expect(look()).rejects.toMatchObject({ code: 'vision_not_priced' });
    expect(ledger.calls).toEqual([]);
  });

  it('waits within a number of frames for each account', async () => {
    let finish = (): void => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const { looker } = open({ look: () => gate.then(() => seen()) });
    const { signal } = new AbortController();
    const order = { ...orderOf().look, file: FRAME, background: null };
    const asked = (accountId: string) => looker.look({ ...order, accountId }, signal);
    const held = Array.from({ length: TURNS.perAccount + TURNS.waitingMax }, () => asked('7'));
    await expect(asked('7')).rejects.toMatchObject({ kind: 'busy' });
    const other = asked('8');
    finish();
    await Promise.all([...held, other]);
  });
});
