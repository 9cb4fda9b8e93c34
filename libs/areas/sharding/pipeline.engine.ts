import {
  type LayersUsage,
  type LlamaLayersEngine,
} from '#engines/llama-layers/llama-layers.engine.js';
import { type RunReport } from '#engines/llama-layers/run/layer-run.js';
import { defineEngine, type Engine, type EngineHost } from '#platform/tasks/engine.js';
import { PipelineEnd, PipelinePiece, PipelineTask } from './pipeline.task.js';
import { SHARDING_SETTINGS, type ShardingSettings } from './sharding.settings.js';

/** Waiting answers for each that is generated. */
const WAITING_PER_RUNNING = 4;

/** The engine's own codes. */
const FAILURES = {
  busy: 'elsewhere',
  closed: 'elsewhere',
  model_file_missing: 'elsewhere',
  transport_unavailable: 'elsewhere',
  model_file_invalid: 'final',
  model_unsupported: 'final',
  model_too_large: 'final',
  prompt_too_long: 'final',
  model_failed: 'final',
  stage_lost: 'final',
  crashed: 'final',
} as const;

const NOTHING: LayersUsage = {
  promptTokens: 0,
  completionTokens: 0,
  finishReason: 'stop',
  report: null,
};

/** Models whose layers are divided among processes of the machine that runs the task. */
export const pipelineEngine = defineEngine<PipelineTask, PipelinePiece, PipelineEnd>({
  name: 'pipeline',
  input: PipelineTask,
  piece: PipelinePiece,
  end: PipelineEnd,
  // The engine has the operator's limit; these only bound what a process may queue.
  tasksMax: { worker: 384, inProcess: 384 },
  failures: FAILURES,
  canRunHere: () => Promise.resolve(null),
  open: async (host) => {
    const settings = host.settings.get(SHARDING_SETTINGS) as ShardingSettings;
    const { createLlamaLayersEngine } =
      await import('#engines/llama-layers/llama-layers.engine.js');
    const { runningMax } = settings;
    const waitingMax = runningMax * WAITING_PER_RUNNING;
    return new Pipelines(createLlamaLayersEngine({ runningMax, waitingMax }), host, settings);
  },
});

/** Gives the SHA-256 of a model file, by which a worker finds its own copy; loads no model. */
export const modelDigests = (): ((modelFile: string) => Promise<string>) => {
  let loading: Promise<LlamaLayersEngine> | undefined;
  return async (modelFile) => {
    loading ??= import('#engines/llama-layers/llama-layers.engine.js').then((loaded) =>
      loaded.createLlamaLayersEngine(),
    );
    return (await (await loading).describe(modelFile)).sha256;
  };
};

class Pipelines implements Engine<PipelineTask, PipelinePiece, PipelineEnd> {
  #failovers = 0;

  constructor(
    private readonly layers: LlamaLayersEngine,
    private readonly host: EngineHost,
    private readonly settings: ShardingSettings,
  ) {}

  async *run(
    task: PipelineTask,
    signal: AbortSignal,
  ): AsyncGenerator<PipelinePiece, PipelineEnd, void> {
    const { stages, standbys } = this.settings;
    const division = { stages, standbys, host: await this.#addressOf(task) };
    const modelFile = await this.#fileOf(task);
    const { sha256 } = await this.layers.describe(modelFile);
    const { messages, maxTokens, temperature, topP, stop, seed } = task;
    const asked = {
      modelFile,
      messages,
      maxTokens,
      temperature,
      division,
      ...(topP !== undefined && { topP }),
      ...(stop && { stop }),
      ...(seed !== undefined && { seed }),
    };
    let used = NOTHING;
    const texts = this.layers.stream(asked, signal, (now) => (used = now));
    try {
      let next = await texts.next();
      for (; !next.done; next = await texts.next()) {
        yield [next.value, used.completionTokens, used.promptTokens];
      }
      // Without a report the run was cut, and has no end.
      if (next.value.report === null) throw signal.reason;
      return this.#endOf(next.value, next.value.report, sha256);
    } finally {
      await texts.return(NOTHING);
    }
  }

  status() {
    return { ready: true, reasons: [], facts: { stages: this.settings.stages } };
  }

  counts() {
    return [
      {
        name: 'quipu_pipeline_failovers_total',
        help: 'Answers that continued with a standby stage.',
        total: this.#failovers,
      },
    ];
  }

  close(): Promise<void> {
    return this.layers.close();
  }

  #endOf(
    { promptTokens, completionTokens, finishReason }: LayersUsage,
    { failovers, returnLatencyMs, stages }: RunReport,
    modelSha256: string,
  ): PipelineEnd {
    this.#failovers += failovers;
    return {
      promptTokens,
      completionTokens,
      finishReason,
      modelSha256,
      failovers,
      returnLatencyMs,
      stages: stages.map(({ pid, ...measured }) => ({
        ...measured,
        node: `${this.host.instance}:${pid}`,
      })),
    };
  }

  async #addressOf({ transport }: PipelineTask): Promise<string> {
    if (transport === 'websocket') return '127.0.0.1';
    const { wireguardAddress } = await import('#engines/llama-layers/pipeline/wireguard.js');
    return wireguardAddress(this.settings.wireguardInterface);
  }

  async #fileOf(task: PipelineTask): Promise<string> {
    if ('modelFile' in task) return task.modelFile;
    const { modelFileOf } = await import('#engines/language-model/model-folders.js');
    return modelFileOf(task.modelSha256, this.host.modelFolders, (file) =>
      this.layers.describe(file),
    );
  }
}
