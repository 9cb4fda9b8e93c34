import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type AgentSessionEvent, agentSessionEvents } from '#events/agents/agent-session.events.js';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import { type BlobRef, Blobs, type OpenBlob, type PutOptions } from '#platform/blobs/blobs.port.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type Fault, FaultyEventStore, MemoryLog } from '#platform/runtime/faulty-stores.fake.js';
import { type ToolCall } from '#platform/tools/tool.js';
import { type AgentSettings } from '../agents.settings.js';
import { type AgentTools } from '../agent-tools.js';
import { type PlannerAnswer, type PlannerModel, Planners } from '../planning/planners.port.js';
import { AgentRunner } from './agent-runner.js';
import { AgentStreams } from './agent-streams.js';
import { ACCOUNT, NOW, SESSION, started } from './agents.fixture.js';
import { SessionMemory } from './session-memory.js';
import { SessionMoney } from './session-money.js';
import { SessionWork } from './session-work.js';
import { StepPlanner } from './step-planner.js';
import { ToolCaller } from './tool-caller.js';
import { Transcripts } from './transcript.js';

const PRICED = { step: 'step-1/weave', meter: 'knots', quantity: 5 };
const LINE = { meter: 'knots', quantity: 5, unitPriceMicroUsd: '10', perUnits: 1 };
const settings: AgentSettings = {
  mcpServersFile: null,
  planTokensMax: 64,
  mcpTimeoutMs: 1_000,
  allowsPrivateMcp: true,
  transcriptMs: 1_000,
};

/** The state that outlives a process. */
class Outside {
  readonly log = new MemoryLog();
  readonly contents = new Map<string, Buffer>();
  readonly ledger = new FakeLedger();
  /** Of the tool: the ids of its calls, each as often as it was run. */
  readonly runs: string[] = [];
}

class StoredContents extends Blobs {
  constructor(private readonly contents: Map<string, Buffer>) {
    super();
  }

  override async put(source: AsyncIterable<Uint8Array>, { owner }: PutOptions) {
    const content = Buffer.concat(await Array.fromAsync(source));
    const address = createHash('sha256').update(content).digest('hex');
    this.contents.set(address, content);
    return { address, owner, bytes: content.length };
  }

  override open({ address }: BlobRef): Promise<OpenBlob> {
    const content = this.contents.get(address);
    if (!content) return Promise.reject(new BlobError('blob-not-found', address));
    return Promise.resolve({ bytes: content.length, content: piecesOf(content) });
  }

  override retain = (): Promise<void> => Promise.resolve();
  protected override reportMissing = (): void => undefined;
  override release = (): Promise<void> => Promise.resolve();
  override sweep = () => Promise.resolve({ blobsKept: 0, blobsRemoved: 0, bytesFreed: 0 });
  override close = (): Promise<void> => Promise.resolve();
}

async function* piecesOf(content: Buffer): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(content);
}

const none = () => undefined;
const FREE = {
  version: 1,
  inputMicroUsdPerMtok: '0',
  outputMicroUsdPerMtok: '0',
  batchDiscountPercent: 0,
};

/** Calls the tool once, then answers with the observation. */
class ScriptedPlanner extends Planners {
  override find(): PlannerModel {
    return {
      id: 'acme/planner',
      style: 'functions',
      contextTokens: 8_192,
      outputTokensMax: 64,
      tariff: new TokenTariff({ rateFor: none, idOf: none }, 'acme/planner', FREE, 0),
    };
  }

  override promptTokensBound(): number {
    return 60;
  }

  override ask({ messages }: Readonly<Record<string, unknown>>): Promise<PlannerAnswer> {
    const seen = (messages as readonly { role: string; content: string }[]).at(-1);
    const call = { id: 'c', function: { name: 'weave', arguments: '{"knots":5}' } };
    const message =
      seen?.role === 'tool' ? { content: `Seen ${seen.content}` } : { tool_calls: [call] };
    return Promise.resolve({
      completion: { choices: [{ message }] },
      usage: { promptTokens: 40, completionTokens: 5, source: 'provider' },
      rig: 'scripted',
      modelAnswered: null,
    });
  }
}

/** Everything of one process; its log may fail. */
const processOn = (outside: Outside, isRepeatable: boolean, ...faults: readonly Fault[]) => {
  const clock = { now: () => Date.parse(NOW) };
  const eventStore = new FaultyEventStore(outside.log);
  eventStore.appends.plan(...faults);
  const streams = new AgentStreams(eventStore, new EventCodec(agentSessionEvents));
  const tools = {
    present: () => Promise.resolve([{ name: 'weave', description: '', parameters: {} }]),
    isRepeatable: () => Promise.resolve(isRepeatable),
    estimate: () => Promise.resolve({ lines: [LINE], rateCardVersion: 1 }),
    run: (_: string, __: unknown, { id }: ToolCall) => {
      outside.runs.push(id);
      const used = [{ meter: 'knots', quantity: 7 }];
      const measured = { counters: { knots: 7 }, usageDoubts: ['bad_count'] };
      return Promise.resolve({ output: { woven: true }, used, ...measured });
    },
    failureOf: () => null,
  } as unknown as AgentTools;
  const memory = new SessionMemory(new Transcripts(new StoredContents(outside.contents)));
  const planner = new StepPlanner(new ScriptedPlanner(), tools, memory, settings, clock);
  const money = new SessionMoney(new PaidProcesses(outside.ledger, clock), clock);
  const logger = pino({ level: 'silent' });
  const caller = new ToolCaller(tools, streams, money, memory, clock, logger);
  const runner = new AgentRunner(new SessionWork(streams, planner, caller, settings, clock));
  const run = async (attempt: number): Promise<unknown> => {
    const job = {
      jobId: SESSION,
      accountId: ACCOUNT,
      submittedAt: NOW,
      attempt,
      checkpoint: null,
      usage: [],
    };
    const input = { ...started.data, goal: await goalIn(outside), tools: ['weave'] };
    const steps = runner.run({ ...job, input }, new AbortController().signal);
    let next = await steps.next();
    while (!next.done) next = await steps.next();
    return next.value.result;
  };
  return { run, streams };
};

const goalIn = ({ contents }: Outside) =>
  new Transcripts(new StoredContents(contents)).put(7, { goal: 'Weave five knots.' });

const typesIn = ({ log }: Outside): readonly string[] => log.events.map(({ type }) => type);

const returnedIn = ({ log }: Outside) => {
  const codec = new EventCodec(agentSessionEvents).for(agentSessionEvents);
  const events: readonly AgentSessionEvent[] = log.events.map((event) => codec.revive(event));
  return events.find(({ type }) => type === 'AgentToolReturned')?.data;
};

const UNDISTURBED = [
  'AgentSessionStarted',
  'AgentStepPlanned',
  'AgentToolCalled',
  'AgentToolReturned',
  'AgentStepPlanned',
  'AgentSessionEnded',
];

const FAULTS = ['fail-before', 'fail-after'] as const;
/** A process that ends before or after each of the events. */
const crashes = UNDISTURBED.flatMap((type, index) =>
  FAULTS.map((fault) => ({ type, index, fault })),
);

/** A session whose planner is held. */
const begun = async (): Promise<Outside> => {
  const outside = new Outside();
  const { accountId, holdId, held: lines, heldUntil: expiresAt } = started.data;
  const terms = { purpose: 'agent_session', rateCardVersion: 1, evidence: {}, shrink: null };
  await outside.ledger.place({ accountId, holdId, lines, ...terms, placedAt: NOW, expiresAt });
  return outside;
};

/** Two processes, one after the other: the first ends at its n-th append. */
const interrupted = async (index: number, fault: Fault, isRepeatable: boolean) => {
  const outside = await begun();
  const before = Array.from({ length: index }, (): Fault => 'none');
  const first = processOn(outside, isRepeatable, ...before, fault);
  await expect(first.run(1)).rejects.toThrow();
  const result = await processOn(outside, isRepeatable).run(2);
  return { outside, result };
};

describe('a session whose process ends', () => {
  it('is nothing special when it does not', async () => {
    const outside = await begun();
    expect(await processOn(outside, true).run(1)).toEqual({ status: 'completed' });
    expect(typesIn(outside)).toEqual(UNDISTURBED);
    expect(returnedIn(outside)).toMatchObject({
      outcome: 'succeeded',
      // At most the hold of the call.
      used: [{ meter: 'knots', quantity: 5 }],
      counters: { knots: 7 },
      usageDoubts: ['bad_count'],
    });
    expect(outside.ledger.renewals).toMatchObject([{ lines: [PRICED] }]);
  });

  it.each(crashes)('$fault $type, ends like an undisturbed session', async ({ index, fault }) => {
    const { outside, result } = await interrupted(index, fault, true);
    expect(result).toEqual({ status: 'completed' });
    expect(typesIn(outside)).toEqual(UNDISTURBED);
    // A repeated call is the same call, and its hold the same renewal.
    expect(new Set(outside.runs).size).toBe(1);
    expect(new Set(outside.ledger.renewals.map(({ expiresAt }) => expiresAt)).size).toBe(1);
  });

  it.each(crashes)('$fault $type, never repeats a call with an effect', async (crash) => {
    const { outside, result } = await interrupted(crash.index, crash.fault, false);
    expect(result).toEqual({ status: 'completed' });
    expect(typesIn(outside)).toEqual(UNDISTURBED);
    expect(outside.runs.length).toBeLessThanOrEqual(1);
    const isUnknown =
      (crash.type === 'AgentToolCalled' && crash.fault === 'fail-after') ||
      (crash.type === 'AgentToolReturned' && crash.fault === 'fail-before');
    expect(returnedIn(outside)).toMatchObject(
      isUnknown
        ? { outcome: 'failed', code: 'outcome_unknown', used: [] }
        : { outcome: 'succeeded', code: null },
    );
  });

  it('is carried out once by two attempts that overlap', async () => {
    const outside = await begun();
    const [one, other] = [processOn(outside, false), processOn(outside, false)];
    await Promise.all([one.run(1), other.run(2)]);
    expect(typesIn(outside)).toEqual(UNDISTURBED);
    expect(outside.runs).toHaveLength(1);
  });
});
