import { Registry } from 'prom-client';
import {
  type Capture,
  type HoldEnd,
  type HoldOrder,
  type PlacedHold,
  type Release,
} from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { priceOf } from '#platform/ledger/price.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { type EngineDefinition } from '#platform/tasks/engine.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { PipelineAdmission } from './pipeline-admission.js';
import { PipelineMetrics } from './pipeline.metrics.js';
import { type PipelineOrder } from './pipeline-order.js';
import { PipelineRunner } from './pipeline-runner.js';
import { PipelineRuns } from './pipeline-runs.js';
import { type PipelineEnd, type PipelinePiece, type PipelineTask } from './pipeline.task.js';
import { type ShardedModels } from './sharded-models.port.js';
import { type ShardingSettings } from './sharding.settings.js';

const NOW = '2026-11-22T15:00:00.000Z';
const REQUEST_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

export const DIGEST = 'a1'.repeat(32);

/** 1 micro-dollar for a token in, 2 for one out. */
export const models: ShardedModels = {
  model: (id) => {
    const known = { contextTokens: 1_024, maxOutputTokens: 64 };
    if (id === 'acme/cord') return { ...known, id, file: '/models/cord.gguf' };
    return id === 'acme/far' ? { ...known, id, file: null } : undefined;
  },
  rateFor: (id) =>
    id.startsWith('acme/')
      ? { version: 3, inputMicroUsdPerMtok: 1_000_000n, outputMicroUsdPerMtok: 2_000_000n }
      : undefined,
};

export const orderOf = (changes: Partial<PipelineOrder> = {}): PipelineOrder => ({
  accountId: '7',
  receivedAtMs: Date.parse(NOW),
  model: 'acme/cord',
  messages: [{ role: 'user', content: 'A cord?' }],
  transport: 'websocket',
  maxTokens: 10,
  temperature: 0,
  topP: null,
  stop: [],
  seed: null,
  context: contextOf(REQUEST_ID, 'user:7'),
  ...changes,
});

export const endOf = (changes: Partial<PipelineEnd> = {}): PipelineEnd => ({
  promptTokens: 9,
  completionTokens: 2,
  finishReason: 'stop',
  modelSha256: DIGEST,
  failovers: 1,
  returnLatencyMs: 0.3,
  stages: [
    { stage: 0, node: 'q:1', first: 0, last: 1, transportLatencyMs: 0.2, computeMs: 4 },
    { stage: 1, node: 'q:2', first: 2, last: 3, transportLatencyMs: null, computeMs: null },
  ],
  ...changes,
});

/** Records its calls. */
export class RecordingLedger extends Ledger {
  readonly calls: string[] = [];
  placed: HoldOrder | undefined;
  captured: Capture | undefined;
  captureFails = false;

  override demandFunds(): void {
    this.calls.push('demandFunds');
  }

  override place(order: HoldOrder): Promise<PlacedHold> {
    this.calls.push('place');
    this.placed = order;
    const { lines, expiresAt } = order;
    const amountMicroUsd = priceOf(lines);
    return Promise.resolve({ lines, amountMicroUsd, expiresAt, availableMicroUsd: 0n });
  }

  override renew(): Promise<PlacedHold> {
    return Promise.reject(new Error('an answer renews no hold'));
  }

  override capture(capture: Capture) {
    this.calls.push(`capture ${capture.outcome}`);
    this.captured = capture;
    if (this.captureFails) return Promise.reject(new Error('the log is away'));
    const chargedMicroUsd = priceOf(capture.lines);
    return Promise.resolve({ eventId: 'e', chargedMicroUsd, availableMicroUsd: 0n });
  }

  override release({ reason }: Release): Promise<void> {
    this.calls.push(`release ${reason}`);
    return Promise.resolve();
  }

  override settle(): Promise<HoldEnd> {
    return Promise.resolve('free');
  }
}

export type Script = (
  task: PipelineTask,
  signal: AbortSignal,
) => AsyncGenerator<PipelinePiece, PipelineEnd | null, void>;

/** Runs the script for every task. */
class ScriptedTasks extends Tasks {
  constructor(
    private readonly script: Script,
    override readonly seesLocalFiles: boolean,
  ) {
    super();
  }

  override run<Input, Piece, End>(
    _definition: EngineDefinition<Input, Piece, End>,
    input: Input,
    signal: AbortSignal,
  ): AsyncGenerator<Piece, End | null, void> {
    const running = this.script(input as PipelineTask, signal);
    return running as unknown as AsyncGenerator<Piece, End | null, void>;
  }
}

/** The area on a scripted engine. */
export const openSharding = (script: Script, changes: Partial<ShardingSettings> = {}) => {
  const ledger = new RecordingLedger();
  const clock = { now: () => Date.parse(NOW) };
  const settings: ShardingSettings = {
    stages: 2,
    standbys: 1,
    runningMax: 4,
    requestMsMax: 1_000,
    wireguardInterface: null,
    ...changes,
  };
  const registry = new Registry();
  const runs = new PipelineRuns(
    new PipelineAdmission(models, ledger, settings, clock),
    new PipelineRunner(new ScriptedTasks(script, true)),
    new PipelineMetrics(registry),
    (text) => `hash of ${text}`,
    settings,
  );
  return { ledger, runs, registry };
};
