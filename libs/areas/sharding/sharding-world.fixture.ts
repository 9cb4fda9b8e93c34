import { Registry } from 'prom-client';
import { type Clock } from '#platform/kernel/clock.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
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
  idOf: (name) => (name.startsWith('acme/') ? name : undefined),
  rateFor: (id) =>
    id.startsWith('acme/')
      ? {
          version: 3,
          inputMicroUsdPerMtok: '1000000',
          outputMicroUsdPerMtok: '2000000',
          batchDiscountPercent: 0,
        }
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

export const SETTINGS: ShardingSettings = {
  stages: 2,
  standbys: 1,
  runningMax: 4,
  requestMsMax: 1_000,
  wireguardInterface: null,
};

/** The area on a scripted engine. */
export const runsOn = (paid: PaidRequests, clock: Clock, script: Script, settings = SETTINGS) => {
  const registry = new Registry();
  const runs = new PipelineRuns(
    new PipelineAdmission(models, paid, settings, clock),
    new PipelineRunner(new ScriptedTasks(script, true)),
    new PipelineMetrics(registry),
    (text) => `hash of ${text}`,
    settings,
  );
  return { runs, registry };
};

export const openSharding = (script: Script, changes: Partial<ShardingSettings> = {}) => {
  const ledger = new FakeLedger();
  const clock = { now: () => Date.parse(NOW) };
  const paid = new PaidRequests(ledger, { settleMsMax: 60_000 }, clock);
  return { ledger, ...runsOn(paid, clock, script, { ...SETTINGS, ...changes }) };
};
