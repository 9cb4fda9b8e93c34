import { describe, expect, it } from '@jest/globals';
import { rigNumberOf } from '#platform/tasks/rig-name.js';
import { type ChatBackend, type JsonObject } from './chat-backend.js';
import { type ChatFeature, needsOf } from './chat-features.js';
import { ANSWER, errorOf, failing, held, scripted, settle } from './rig-router.fixture.js';
import { type RigAbsence } from './rig-candidates.js';
import { createRigRouter } from './rig-router.js';
import { type Rig } from './rig-state.js';
import { never, requestOf } from './upstream.fake.js';

interface Setting {
  readonly rigs: readonly (Pick<Rig, 'name' | 'backend'> & Partial<Rig>)[];
  readonly pinned?: (name: string) => Rig | RigAbsence | undefined;
  readonly random?: () => number;
  readonly time?: { nowMs: number };
}

const rigOf = (rig: Setting['rigs'][number]): Rig => ({
  maxConcurrency: 1,
  models: new Set(['llama']),
  ...rig,
});

const placing = ({
  rigs,
  pinned = () => undefined,
  random = () => 0.5,
  time = { nowMs: 1_000 },
}: Setting) => {
  const router = createRigRouter({
    rigs: rigs.map(rigOf),
    pinnedRigs: { find: pinned },
    clock: { now: () => time.nowMs },
    sleep: () => new Promise(() => undefined),
    random,
    breaker: { failuresToOpen: 1, openMs: 1_000, openMsMax: 1_000 },
  });
  const order = { model: 'llama', needs: [], request: () => requestOf({ model: 'llama' }) };
  const complete = async (pin?: string) =>
    (await router.complete({ ...order, ...(pin !== undefined && { pin }) }, never)).rig;
  const stream = async () => {
    const { rig, pages } = await router.stream(order, never);
    for (let page = await pages.next(); !page.done;) page = await pages.next();
    return rig;
  };
  return { router, complete, stream, time };
};

const answering = (): ChatBackend => scripted(ANSWER).backend;

describe('rigs of several regions', () => {
  const near = { region: 'uk', isRemote: false };
  const far = { region: 'na', isRemote: true };

  it('are asked in the own region as long as one there has room', async () => {
    const busy = held();
    const { complete } = placing({
      rigs: [
        { name: 'far', backend: answering(), maxConcurrency: 9, ...far },
        { name: 'near', backend: scripted(busy.move, ANSWER).backend, maxConcurrency: 2, ...near },
      ],
    });
    const running = complete();
    await settle();
    expect(await complete()).toBe('near');
    const [second, third] = [complete(), complete()];
    expect(await Promise.race([second, third])).toBe('near');
    busy.letGo();
    await Promise.all([running, second, third]);
  });

  it('are asked in another region while the own region is full', async () => {
    const busy = held();
    const { complete } = placing({
      rigs: [
        { name: 'near', backend: scripted(busy.move, ANSWER).backend, ...near },
        { name: 'far', backend: answering(), ...far },
      ],
    });
    const running = complete();
    await settle();
    expect(await complete()).toBe('far');
    busy.letGo();
    expect(await running).toBe('near');
    expect(await complete()).toBe('near');
  });

  it('are asked in another region while the own region is down', async () => {
    const { complete, time } = placing({
      rigs: [
        { name: 'near', backend: scripted(failing('failed'), ANSWER).backend, ...near },
        { name: 'far', backend: answering(), ...far },
      ],
    });
    expect(await complete()).toBe('far');
    expect(await complete()).toBe('far');
    time.nowMs += 1_000;
    expect(await complete()).toBe('near');
  });

  it('are near to every gateway without a region', async () => {
    const { complete, router } = placing({
      rigs: [
        { name: 'far', backend: answering(), ...far },
        { name: 'anywhere', backend: answering() },
      ],
    });
    expect(await complete()).toBe('anywhere');
    expect(router.status().map(({ region }) => region)).toEqual(['na', null]);
  });

  it('are asked by their name wherever they are', async () => {
    const { complete } = placing({
      rigs: [
        { name: 'near', backend: answering(), ...near },
        { name: 'far', backend: answering(), ...far },
      ],
    });
    expect(await complete('far')).toBe('far');
  });
});

describe('the time to the first token', () => {
  /** A rig whose first page takes so long by the clock of the router. */
  const taking = (ms: () => number, time: { nowMs: number }): ChatBackend => {
    const { backend } = scripted(ANSWER);
    return {
      ...backend,
      async *stream(request, signal) {
        time.nowMs += ms();
        return yield* backend.stream(request, signal);
      },
    };
  };

  it('has the quicker of two idle rigs asked, and the slower one again after a while', async () => {
    const time = { nowMs: 0 };
    let slowMs = 400;
    const { stream, router } = placing({
      rigs: [
        { name: 'slow', backend: taking(() => slowMs, time) },
        { name: 'quick', backend: taking(() => 20, time) },
      ],
      // Of equals, the first one.
      random: () => 0.99,
      time,
    });
    const first = [await stream(), await stream()];
    expect(new Set(first)).toEqual(new Set(['slow', 'quick']));
    expect([await stream(), await stream(), await stream()]).toEqual(['quick', 'quick', 'quick']);
    expect(router.status().map(({ firstTokenMs }) => firstTokenMs)).toEqual([
      { llama: 400 },
      { llama: 20 },
    ]);
    slowMs = 10;
    time.nowMs += 120_000;
    const later = new Set([await stream(), await stream(), await stream()]);
    expect(later).toContain('slow');
    // A moving average: 400 + 0.2 * (10 - 400).
    expect(router.status()[0]?.firstTokenMs).toEqual({ llama: 322 });
  });

  it('is not measured by whole answers', async () => {
    const { complete, router } = placing({ rigs: [{ name: 'a', backend: answering() }] });
    await complete();
    expect(router.status()[0]?.firstTokenMs).toEqual({});
  });
});

describe('a pinned rig', () => {
  it('is asked by its number, unless another has these digits as its name', async () => {
    const number = String(rigNumberOf('a'));
    const rigs = [
      { name: 'a', backend: answering() },
      { name: 'b', backend: answering() },
    ];
    const { complete } = placing({ rigs });
    expect([await complete(number), await complete(number)]).toEqual(['a', 'a']);
    const digits = placing({ rigs: [...rigs, { name: number, backend: answering() }] });
    expect(await digits.complete(number)).toBe(number);
  });
});

describe('a rig that only a pin reaches', () => {
  it('is asked by its name and by nothing else', async () => {
    const worker = rigOf({ name: 'worker-1', backend: answering() });
    const { complete, router } = placing({
      rigs: [{ name: 'a', backend: answering() }],
      pinned: (name) => (name === 'worker-1' ? worker : undefined),
    });
    expect(await complete('worker-1')).toBe('worker-1');
    expect([await complete(), await complete()]).toEqual(['a', 'a']);
    expect((await errorOf(complete('worker-2') as never)).kind).toBe('rig-unknown');
    expect(router.status().map(({ name }) => name)).toEqual(['a', 'worker-1']);
  });

  it.each(['rig-drained', 'rig-lost'] as const)('is refused by its name: %s', async (absence) => {
    const { complete, router } = placing({ rigs: [], pinned: () => absence });
    const error = await errorOf(complete('worker-1'));
    expect(error).toMatchObject({ kind: absence, message: expect.stringContaining('worker-1') });
    expect(router.status()).toEqual([]);
  });

  it('keeps its slots, and has others as another rig', async () => {
    const busy = held();
    let worker = rigOf({ name: 'w', backend: scripted(busy.move, ANSWER).backend });
    const { complete, router } = placing({ rigs: [], pinned: () => worker });
    const [running, waiting] = [complete('w'), complete('w')];
    await settle();
    expect(router.waiting()).toBe(1);
    worker = rigOf({ name: 'w', backend: answering() });
    expect(await complete('w')).toBe('w');
    busy.letGo();
    await Promise.all([running, waiting]);
  });
});

describe('rigs with different features', () => {
  const does = (...features: readonly ChatFeature[]) => ({ features: new Set(features) });
  const rigs = [
    { name: 'plain', backend: answering(), maxConcurrency: 9, ...does() },
    { name: 'tools', backend: answering(), ...does('tools') },
    { name: 'images', backend: answering(), ...does('images', 'logprobs') },
  ];
  const TOOLS = { tools: [{}] };
  const rejectionOf = (setting: Setting, body: JsonObject, pin?: string): unknown => {
    const target = { model: 'llama', ...(pin !== undefined && { pin }) };
    try {
      placing(setting).router.check(target, body);
      return null;
    } catch (error) {
      return error;
    }
  };

  it('are asked only for their own features, however busy they are', async () => {
    const { router } = placing({ rigs });
    const askFor = async (body: JsonObject) => {
      const order = { model: 'llama', needs: needsOf(body), request: () => requestOf() };
      return (await router.complete(order, never)).rig;
    };
    for (let asked = 0; asked < 3; asked += 1) {
      expect(await askFor(TOOLS)).toBe('tools');
      expect(await askFor({ logprobs: true })).toBe('images');
    }
  });

  it('are not given private URLs, unless they are allowed', () => {
    const url = { type: 'image_url', image_url: { url: 'http://169.254.169.254/' } };
    const body = { messages: [{ role: 'user', content: [url] }] };
    const param = 'messages[0].content[0].image_url.url';
    const upstreamError = { param, code: 'unsupported_parameter' };
    const rejected = { kind: 'refused', details: { rigError: { details: { upstreamError } } } };
    const unlimited = { name: 'unlimited', backend: answering() };
    for (const rig of [...rigs, unlimited]) {
      expect(rejectionOf({ rigs: [rig] }, body)).toMatchObject(
        rig.name === 'images' || rig.name === 'unlimited' ? rejected : { kind: 'refused' },
      );
    }
    const allowed = { ...unlimited, ...does('images', 'private_urls') };
    expect(rejectionOf({ rigs: [allowed] }, body)).toBeNull();
  });

  it('do not replace a rig that fails', async () => {
    const failingTools = { name: 'tools', backend: scripted(failing('malformed')).backend };
    const { router } = placing({
      rigs: [...rigs.slice(0, 1), { ...failingTools, ...does('tools') }],
    });
    const order = { model: 'llama', needs: needsOf(TOOLS), request: () => requestOf() };
    expect(await errorOf(router.complete(order, never))).toMatchObject({
      kind: 'failed',
      attempts: [{ rig: 'tools' }],
    });
  });

  it('let a request pass that one of them can take', () => {
    expect(rejectionOf({ rigs }, { ...TOOLS, n: 1 })).toBeNull();
    expect(rejectionOf({ rigs: [{ name: 'any', backend: answering() }] }, { n: 3 })).toBeNull();
  });

  it.each<[string, JsonObject, string, string | undefined]>([
    ['no rig of the model llama has the feature choices', { n: 3 }, 'n', undefined],
    [
      'no rig of the model llama has the feature tools and logprobs',
      { ...TOOLS, logprobs: true },
      'tools',
      undefined,
    ],
    ['rig plain does not have the feature tools', TOOLS, 'tools', 'plain'],
  ])('name the features they lack: %s', (why, body, param, pin) => {
    const message = `'${param}' is refused: ${why}`;
    const upstreamError = {
      message,
      type: 'invalid_request_error',
      param,
      code: 'unsupported_parameter',
    };
    expect(rejectionOf({ rigs }, body, pin)).toMatchObject({
      kind: 'refused',
      message,
      details: { rigError: { details: { status: 400, upstreamError } } },
    });
  });
});
