import { describe, expect, it } from '@jest/globals';
import { type WorkerRigDescription } from '#events/fleet/worker-rig.events.js';
import { type Finished } from '#platform/jobs/job-type.js';
import { systemClock } from '#platform/kernel/clock.js';
import { CertificationRunner } from './certification-runner.js';
import { type MeasuredFacts } from './certification-facts.js';
import { type MeasuredRig, RigProblem } from './measured-rigs.port.js';
import { ManualClock, RIG, type RigScript, ScriptedRigs, STEADY } from './scripted-rigs.fake.js';

const DESCRIPTION: WorkerRigDescription = {
  region: null,
  brand: null,
  processor: null,
  cores: 2,
  hostMemoryBytes: 1_024,
  devices: null,
  engines: [],
};

const never = new AbortController().signal;

const attemptOf = (rig: string) => ({
  jobId: '01890a5d-ac96-474b-8cce-b302099a8057',
  accountId: 'operator',
  submittedAt: '2026-11-22T15:00:00.000Z',
  attempt: 1,
  input: { rig },
  checkpoint: null,
  usage: [],
});

const run = async (
  script: Partial<RigScript> = {},
  rig: MeasuredRig = RIG,
  name = rig.name,
  signal = never,
) => {
  const clock = new ManualClock();
  const rigs = new ScriptedRigs(clock, { ...STEADY, ...script }, rig);
  const at = { now: () => Date.parse('2026-11-22T06:00:00.000Z') };
  const steps = new CertificationRunner(rigs, clock, at).run(attemptOf(name), signal);
  const done: number[] = [];
  let step = await steps.next();
  for (; !step.done; step = await steps.next()) done.push(step.value.done);
  const { result }: Finished<MeasuredFacts> = step.value;
  return { result, done, chats: rigs.chats };
};

describe('a certification', () => {
  it('measures every quantity', async () => {
    const { result, done, chats } = await run({
      // The two answers of the check, then five of which the median is 30 + 4.
      firstMsOf: (answer) => [900, 900, 30, 10, 500, 20, 40][answer] ?? 10,
    });
    expect(result).toEqual({
      rig: 'rack',
      kind: 'openai',
      description: null,
      models: [
        { id: 'acme/one', isListed: true },
        { id: 'acme/two', isListed: true },
      ],
      measuredModel: 'acme/one',
      measurements: {
        firstTokenMs: 34,
        firstTokenSamples: 5,
        // 20 tokens in 10 + 20 * 4 ms.
        tokensPerSecond: 222.22,
        concurrentStreams: 4,
        // All move one clock: 80 tokens from the first request to the last end.
        tokensPerSecondConcurrent: 23.81,
        isAnswerConsistent: true,
      },
      problems: [],
      measuredAt: '2026-11-22T06:00:00.000Z',
    });
    expect(done).toEqual([1, 2, 3, 4]);
    expect(chats).toHaveLength(2 + 5 + 1 + 4);
  });

  it('asks questions of its own for speed, so that no cache answers', async () => {
    const { chats } = await run();
    const [first, second, ...others] = chats.map(({ question }) => question);
    expect(second).toBe(first);
    expect(new Set(others).size).toBe(others.length);
  });

  it('asks for no more tokens than the model gives', async () => {
    const { result, chats } = await run(
      {},
      {
        ...RIG,
        models: [{ id: 'acme/one', outputTokensMax: 3 }],
      },
    );
    expect(Math.max(...chats.map(({ outputTokens }) => outputTokens))).toBe(3);
    // 3 tokens in 10 + 3 * 4 ms.
    expect(result.measurements.tokensPerSecond).toBe(136.36);
  });

  it.each<[string, Partial<RigScript>]>([
    ['another text', { piecesOf: (_, answer) => [`answer ${answer}`] }],
    ['no text', { piecesOf: () => [] }],
    [
      'another usage',
      {
        usageOf: (_, answer) => ({
          promptTokens: 12 + answer,
          completionTokens: 20,
          isStated: true,
        }),
      },
    ],
    [
      'no stated usage',
      { usageOf: () => ({ promptTokens: 12, completionTokens: 20, isStated: false }) },
    ],
    [
      'no tokens of the prompt',
      { usageOf: () => ({ promptTokens: 0, completionTokens: 20, isStated: true }) },
    ],
    [
      'more tokens than asked',
      { usageOf: () => ({ promptTokens: 12, completionTokens: 65, isStated: true }) },
    ],
  ])('finds the answer inconsistent with %s', async (_, script) => {
    const { result } = await run(script);
    expect(result.measurements.isAnswerConsistent).toBe(false);
  });

  it('knows no speed of a rig that states no usage', async () => {
    const { result } = await run({
      usageOf: () => ({ promptTokens: 12, completionTokens: 20, isStated: false }),
    });
    expect(result.measurements).toMatchObject({
      firstTokenMs: 14,
      tokensPerSecond: null,
      concurrentStreams: null,
      tokensPerSecondConcurrent: null,
    });
    const message = 'the rig does not state its usage';
    expect(result.problems).toEqual([
      { quantity: 'tokens_per_second', message },
      { quantity: 'tokens_per_second_concurrent', message },
    ]);
  });

  it('leaves null what a rig that is down does not allow to measure', async () => {
    const down = new RigProblem('rig rack cannot be reached');
    const { result } = await run({
      listed: null,
      piecesOf: () => {
        throw down;
      },
    });
    expect(result.models.map(({ isListed }) => isListed)).toEqual([null, null]);
    expect(result.measurements).toEqual({
      firstTokenMs: null,
      firstTokenSamples: 0,
      tokensPerSecond: null,
      concurrentStreams: null,
      tokensPerSecondConcurrent: null,
      isAnswerConsistent: null,
    });
    expect(result.problems.map(({ quantity }) => quantity)).toEqual([
      'models',
      'answer',
      'first_token',
      'tokens_per_second',
      'tokens_per_second_concurrent',
    ]);
  });

  it('asks a model that the rig lists', async () => {
    const { result } = await run({ listed: ['acme/two'] });
    expect(result.measuredModel).toBe('acme/two');
    expect(result.models[0]).toEqual({ id: 'acme/one', isListed: false });
  });

  it('measures no concurrent streams of a rig with one slot', async () => {
    const { result } = await run({}, { ...RIG, streamsMax: 1 });
    expect(result.measurements).toMatchObject({
      concurrentStreams: null,
      tokensPerSecondConcurrent: null,
    });
    expect(result.problems).toHaveLength(1);
  });

  it('fails for a rig that is not there', async () => {
    await expect(run({}, RIG, 'gone')).rejects.toMatchObject({ code: 'rig_unknown' });
  });

  it('keeps what the worker of a rig says of itself, and fails when that changes', async () => {
    const worker: MeasuredRig = { ...RIG, kind: 'worker', description: DESCRIPTION };
    expect((await run({}, worker)).result).toMatchObject({
      kind: 'worker',
      description: DESCRIPTION,
    });
    for (const now of [{ ...worker, description: { ...DESCRIPTION, cores: 4 } }, undefined]) {
      const found = [worker, now];
      const rigs = Object.assign(new ScriptedRigs(new ManualClock(), STEADY, worker), {
        find: () => Promise.resolve(found.shift()),
      });
      const steps = new CertificationRunner(rigs, new ManualClock(), systemClock);
      const measuring = Array.fromAsync(steps.run(attemptOf(worker.name), never));
      await expect(measuring).rejects.toMatchObject({ code: 'rig_changed' });
    }
  });

  it('stops when it is asked to, and takes that for no problem of the rig', async () => {
    const stop = new AbortController();
    const piecesOf = (): never => {
      stop.abort(new Error('stopped'));
      throw new RigProblem('the caller left');
    };
    await expect(run({ piecesOf }, RIG, RIG.name, stop.signal)).rejects.toThrow('the caller left');
  });

  it('does not hide a defect', async () => {
    const piecesOf = (): never => {
      throw new TypeError('a defect');
    };
    await expect(run({ piecesOf })).rejects.toThrow('a defect');
  });
});
