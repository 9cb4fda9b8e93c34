import { describe, expect, it } from '@jest/globals';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import {
  type Behaviour,
  caller,
  CHAT,
  chatsOn,
  leftAt,
  memberFailed,
  SETTINGS,
  startWorld,
} from './swarm-world.fixture.js';
import { type SwarmStream, wholeAnswer } from './swarm-stream.js';

const never = (): AbortSignal => new AbortController().signal;

const BEHAVIOUR: Behaviour = {
  ask: (model) => Promise.resolve(`said ${model}`),
  texts: async function* () {
    yield await Promise.resolve('one');
    yield ' two';
  },
};

type Chats = ReturnType<typeof chatsOn>;

const CONSENSUS = { chat: CHAT, fanout: 2, synthesisModel: 'alpha', memberModels: null };
const PAIR = { chat: CHAT, model: 'target', draftModel: null, draftTokensMax: null };

/** Each mode, by how it begins. */
const MODES: readonly (readonly [
  name: string,
  begin: (chats: Chats, order: PaidOrder, signal: AbortSignal) => Promise<SwarmStream<unknown>>,
])[] = [
  [
    'a consensus',
    ({ consensus }, order, signal) => consensus.begin({ ...order, ...CONSENSUS }, signal),
  ],
  ['a pair', ({ speculative }, order, signal) => speculative.begin({ ...order, ...PAIR }, signal)],
  [
    'an upstream that drafts',
    ({ speculative }, order, signal) =>
      speculative.begin({ ...order, ...PAIR, model: 'alpha' }, signal),
  ],
];

for (const [name, begin] of MODES) {
  paidWorkContract(name, {
    requestMsMax: SETTINGS.requestMsMax,
    open: (paid, clock, work) => {
      let isBegun = false;
      const beginOnce = (): void => {
        if (!isBegun) work();
        isBegun = true;
      };
      const ask = async (): Promise<string> => {
        await Promise.resolve();
        beginOnce();
        return 'said';
      };
      const texts = async function* () {
        beginOnce();
        yield await Promise.resolve('one');
      };
      const chats = chatsOn({ ask, texts }, paid, clock);
      return Promise.resolve(async (order, signal) =>
        wholeAnswer(await begin(chats, order, signal)),
      );
    },
  });
}

describe.each(MODES)('%s', (name, beginOn) => {
  const begin = (world: Chats, signal: AbortSignal) => beginOn(world, caller(), signal);

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

  it('charges the prompt when the caller leaves before the first text', async () => {
    const controller = new AbortController();
    const world = startWorld({
      ...BEHAVIOUR,
      texts: async function* () {
        controller.abort(new RequestCutError('client_gone'));
        yield* await Promise.resolve([]);
      },
    });
    await expect(begin(world, controller.signal)).rejects.toThrow(RequestCutError);
    // The prompt of a pair is counted by its first piece.
    expect(world.ledger.ends).toEqual([
      name === 'a pair' ? 'release client_gone' : 'capture client_gone',
    ]);
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
});

describe('the members of a consensus', () => {
  it('are not charged where they fail', async () => {
    const world = startWorld({
      ...BEHAVIOUR,
      ask: (model) => (model === 'beta' ? memberFailed() : Promise.resolve('said')),
    });
    await wholeAnswer(await world.consensus.begin({ ...caller(), ...CONSENSUS }, never()));
    const steps = world.ledger.captures.flatMap(({ lines }) => lines.map(({ step }) => step));
    expect(steps).toEqual(['branch-1', 'branch-1', 'aggregator', 'aggregator']);
  });

  it('are in the cost tree with the units that are charged, where rigs state more', async () => {
    const world = startWorld({
      ...BEHAVIOUR,
      texts: async function* () {
        await Promise.resolve();
        yield* Array.from({ length: 25 }, () => 'word ');
      },
    });
    const { report } = await wholeAnswer(
      await world.consensus.begin({ ...caller(), ...CONSENSUS }, never()),
    );
    const [charge] = world.ledger.captures;
    expect(charge?.excess).toEqual([{ step: 'aggregator', meter: 'output_tokens', quantity: 15 }]);
    const branches = report.costTree;
    expect(branches.at(-1)).toMatchObject({ step: 'aggregator', output_tokens: 10 });
    const charged = (charge?.lines ?? []).map(({ step, model, quantity }) => [
      step,
      model,
      quantity,
    ]);
    const reported = branches.flatMap(
      ({ step, model, input_tokens: input, output_tokens: output }) => [
        [step, model, input],
        [step, model, output],
      ],
    );
    expect(reported).toEqual(charged);
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
    await wholeAnswer(
      await world.consensus.begin({ ...caller(), ...CONSENSUS, fanout: 4 }, never()),
    );
    expect(together).toBe(4);
  });

  it.each([
    ['while another member works', () => Promise.reject(leftAt('rig-alpha'))],
    ['before the synthesis begins', () => Promise.resolve('said alpha')],
  ])('are charged when the caller leaves %s', async (_, alpha) => {
    const controller = new AbortController();
    const leave = (): void => controller.abort(new RequestCutError('client_gone'));
    const world = startWorld({
      ...BEHAVIOUR,
      ask: async (model) => {
        await Promise.resolve();
        leave();
        return model === 'alpha' ? alpha() : 'said beta';
      },
    });
    const answer = world.consensus.begin({ ...caller(), ...CONSENSUS }, controller.signal);
    await expect(answer).rejects.toThrow(RequestCutError);
    expect(world.ledger.ends).toEqual(['capture client_gone']);
    const [charge] = world.ledger.captures;
    expect(charge?.lines.map(({ step, meter }) => `${step} ${meter}`)).toEqual([
      'branch-1 input_tokens',
      'branch-1 output_tokens',
      'branch-2 input_tokens',
      'branch-2 output_tokens',
    ]);
    expect(charge?.evidence).toMatchObject({ replyHash: null, members: [{}, {}] });
  });

  it('are charged with the prompt of a synthesis that its rig had accepted', async () => {
    const controller = new AbortController();
    const world = startWorld({
      ...BEHAVIOUR,
      begin: () => {
        controller.abort(new RequestCutError('client_gone'));
        return Promise.reject(leftAt('rig-alpha'));
      },
    });
    const answer = world.consensus.begin({ ...caller(), ...CONSENSUS }, controller.signal);
    await expect(answer).rejects.toThrow(RequestCutError);
    const [charge] = world.ledger.captures;
    expect(charge?.lines.slice(-2)).toMatchObject([
      { step: 'aggregator', meter: 'input_tokens', quantity: 5, rig: 'rig-alpha' },
      { step: 'aggregator', meter: 'output_tokens', quantity: 0 },
    ]);
  });

  it('pay for no accepted prompt of a model that does not charge it', async () => {
    const controller = new AbortController();
    const world = startWorld({
      ...BEHAVIOUR,
      ask: (model) => {
        controller.abort(new RequestCutError('client_gone'));
        return Promise.reject(leftAt(`rig-${model}`));
      },
    });
    const order = { ...caller(), ...CONSENSUS, memberModels: ['beta'] };
    await expect(world.consensus.begin(order, controller.signal)).rejects.toThrow(RequestCutError);
    expect(world.ledger.ends).toEqual(['release client_gone']);
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
    const answer = world.consensus.begin(
      { ...caller(), ...CONSENSUS, fanout: 1 },
      controller.signal,
    );
    await expect(answer).rejects.toThrow(RequestCutError);
    expect(stopped).toBe(1);
    expect(world.ledger.ends).toEqual(['release client_gone']);
  });
});
