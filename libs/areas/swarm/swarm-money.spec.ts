import { describe, expect, it } from '@jest/globals';
import { RequestCutError } from '#platform/runtime/request-cut.js';
import { type Behaviour, caller, CHAT, memberFailed, startWorld } from './swarm-world.fixture.js';
import { type SwarmStream, wholeAnswer } from './swarm-stream.js';

const never = (): AbortSignal => new AbortController().signal;

const BEHAVIOUR: Behaviour = {
  ask: (model) => Promise.resolve(`said ${model}`),
  texts: async function* () {
    yield await Promise.resolve('one');
    yield ' two';
  },
};

type World = ReturnType<typeof startWorld>;

/** Each mode, by how it begins. */
const MODES: readonly (readonly [
  name: string,
  begin: (
    world: World,
    signal: AbortSignal,
    confirm?: () => Promise<boolean>,
  ) => Promise<SwarmStream<unknown>>,
])[] = [
  [
    'a consensus',
    ({ consensus }, signal, confirm) =>
      consensus.begin(
        { ...caller(confirm), chat: CHAT, fanout: 2, synthesisModel: 'alpha', memberModels: null },
        signal,
      ),
  ],
  [
    'a pair',
    ({ speculative }, signal, confirm) =>
      speculative.begin(
        { ...caller(confirm), chat: CHAT, model: 'target', draftModel: null, draftTokensMax: null },
        signal,
      ),
  ],
  [
    'an upstream that drafts',
    ({ speculative }, signal, confirm) =>
      speculative.begin(
        { ...caller(confirm), chat: CHAT, model: 'alpha', draftModel: null, draftTokensMax: null },
        signal,
      ),
  ],
];

describe.each(MODES)('%s', (_name, begin) => {
  it('holds once and charges once', async () => {
    const world = startWorld(BEHAVIOUR);
    const { text } = await wholeAnswer(await begin(world, never()));
    expect(text).toBe('one two');
    expect(world.ledger.orders).toHaveLength(1);
    expect(world.ledger.ends).toEqual(['capture completed']);
  });

  it('charges what was delivered when the caller leaves after the first text', async () => {
    const controller = new AbortController();
    const world = startWorld({
      ...BEHAVIOUR,
      texts: async function* (signal) {
        yield await Promise.resolve('one');
        if (!signal.aborted) yield ' two';
      },
    });
    const { texts } = await begin(world, controller.signal);
    expect(await texts.next()).toEqual({ done: false, value: 'one' });
    controller.abort(new RequestCutError('client_gone'));
    const end = await texts.next();
    expect(end).toMatchObject({ done: true, value: { cut: { reason: 'client_gone' } } });
    expect(world.ledger.ends).toEqual(['capture client_gone']);
    const [output] = (world.ledger.captures[0]?.lines ?? []).slice(-1);
    expect(output).toMatchObject({ meter: 'output_tokens', quantity: 1 });
  });

  it('is free when the caller leaves before the first text', async () => {
    const controller = new AbortController();
    const world = startWorld({
      ...BEHAVIOUR,
      texts: async function* () {
        controller.abort(new RequestCutError('timed_out'));
        yield* await Promise.resolve([]);
      },
    });
    await expect(begin(world, controller.signal)).rejects.toThrow(RequestCutError);
    expect(world.ledger.ends).toEqual(['release timed_out']);
  });

  it('is free when the answer breaks, whatever was delivered', async () => {
    const world = startWorld({
      ...BEHAVIOUR,
      texts: async function* () {
        yield await Promise.resolve('one');
        throw new Error('broken');
      },
    });
    const { texts } = await begin(world, never());
    await texts.next();
    await expect(texts.next()).rejects.toThrow('broken');
    expect(world.ledger.ends).toEqual(['release upstream_failed']);
  });

  it('is free when its reader disposes of it', async () => {
    const world = startWorld(BEHAVIOUR);
    const { texts } = await begin(world, never());
    await texts[Symbol.asyncDispose]();
    expect(world.ledger.ends).toEqual(['release client_gone']);
  });

  it('asks no model once a retry has taken the request over', async () => {
    const world = startWorld({
      ask: () => Promise.reject(new Error('asked')),
      texts: () => {
        throw new Error('asked');
      },
    });
    const taken = (): Promise<boolean> => Promise.resolve(false);
    await expect(begin(world, never(), taken)).rejects.toThrow(RequestCutError);
    expect(world.ledger.ends).toEqual(['release timed_out']);
  });
});

describe('the members of a consensus', () => {
  const asked = { chat: CHAT, fanout: 2, synthesisModel: 'alpha', memberModels: null };

  it('are not charged where they fail', async () => {
    const world = startWorld({
      ...BEHAVIOUR,
      ask: (model) => (model === 'beta' ? memberFailed() : Promise.resolve('said')),
    });
    await wholeAnswer(await world.consensus.begin({ ...caller(), ...asked }, never()));
    const steps = world.ledger.captures.flatMap(({ lines }) => lines.map(({ step }) => step));
    expect(steps).toEqual(['branch-1', 'branch-1', 'aggregator', 'aggregator']);
  });

  it('are asked at the same time', async () => {
    let asking = 0;
    let together = 0;
    const world = startWorld({
      ...BEHAVIOUR,
      ask: async () => {
        asking += 1;
        together = Math.max(together, asking);
        await new Promise((resolve) => setImmediate(resolve));
        asking -= 1;
        return 'said';
      },
    });
    await wholeAnswer(await world.consensus.begin({ ...caller(), ...asked, fanout: 4 }, never()));
    expect(together).toBe(4);
  });

  it('are stopped, and nothing is charged, when the caller leaves meanwhile', async () => {
    const controller = new AbortController();
    let stopped = 0;
    const world = startWorld({
      ...BEHAVIOUR,
      ask: (_model, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped += 1;
            reject(new Error('aborted'));
          });
          controller.abort(new RequestCutError('client_gone'));
        }),
    });
    const answer = world.consensus.begin({ ...caller(), ...asked, fanout: 1 }, controller.signal);
    await expect(answer).rejects.toThrow(RequestCutError);
    expect(stopped).toBe(1);
    expect(world.ledger.ends).toEqual(['release client_gone']);
  });
});
