import path from 'node:path';
import {
  type CompletionDelta,
  type CompletionRequest,
  type CompletionUsage,
  type LanguageModelEngine,
  type LanguageModelEngineOptions,
} from '#engines/language-model/language-model.engine.js';
import { defineEngine, type Engine, type EngineDefinition } from '#platform/tasks/engine.js';
import { type BorrowedFile } from '#platform/tasks/file.protocol.js';
import { FileMissingError, type FileKind, ModelStore, type Sha256Of } from './model-store.js';
import { isRich, TextEnd, TextPiece, TextTask } from './text-task.js';

/** As many as one model generates at once; `max_concurrency` of a rig is the operator's bound. */
const RUNNING_MAX = 16;
/** A worker queues few tasks: beyond it another worker is quicker. */
const WAITING_MAX = { worker: 16, inProcess: 64 } as const;
/** Interactive tasks that may come when the queue is full: batches make room for them there. */
const ABOVE_QUEUE = 4;

/** The engine's own codes, as `language-model.engine.errors.ts` lists them. */
const FAILURES = {
  busy: 'elsewhere',
  closed: 'elsewhere',
  model_file_missing: 'elsewhere',
  model_file_invalid: 'final',
  adapter_file_missing: 'elsewhere',
  adapter_file_invalid: 'final',
  prompt_too_long: 'final',
  model_failed: 'final',
  crashed: 'final',
} as const;

/** How soon a worker registers a file that was added: gateways pin to it what it has registered. */
const RESCAN_MS = 30_000;

/** The folder of adapters, in each folder of models. */
const ADAPTERS = 'adapters';

const NOTHING: TextEnd = { promptTokens: 0, completionTokens: 0, finishReason: 'stop' };

/** Language models in the GGUF format, run by llama.cpp. */
export const textEngineWith = (
  options: LanguageModelEngineOptions,
): EngineDefinition<TextTask, TextPiece, TextEnd> =>
  defineEngine({
    name: 'text',
    input: TextTask,
    piece: TextPiece,
    end: TextEnd,
    tasksMax: {
      worker: RUNNING_MAX + WAITING_MAX.worker + ABOVE_QUEUE,
      inProcess: RUNNING_MAX + WAITING_MAX.inProcess + ABOVE_QUEUE,
    },
    failures: FAILURES,
    canRunHere: async () => {
      const { missingPackage } = await import('#engines/language-model/native-package.js');
      return missingPackage();
    },
    open: async ({ place, modelFolders, borrow }) => {
      const isWorker = place === 'worker';
      const waitingMax = isWorker ? WAITING_MAX.worker : WAITING_MAX.inProcess;
      const models = await loadEngine({ runningMax: RUNNING_MAX, waitingMax, ...options });
      const { modelSha256, adapterSha256 } = digestsBy(models);
      const store = new ModelStore('model', modelSha256, modelFolders);
      const adapterFolders = modelFolders.map((folder) => path.join(folder, ADAPTERS));
      const adapters = new ModelStore('adapter', adapterSha256, adapterFolders);
      // A process that runs its own models names their files.
      if (isWorker) await store.scan();
      const scanning = isWorker ? setInterval(() => void store.scan(), RESCAN_MS) : undefined;
      scanning?.unref();
      const files = { store, adapters, ...(borrow && { borrow }) };
      return new TextModels(models, files, () => clearInterval(scanning));
    },
  });

export const textEngine = textEngineWith({});

/** The SHA-256 of model files and of adapter files. */
export interface FileDigests {
  readonly modelSha256: Sha256Of;
  readonly adapterSha256: Sha256Of;
}

/** Reads a file once, and again when it has changed. Loads no model. */
export const fileDigests = (): FileDigests => {
  let loading: Promise<FileDigests> | undefined;
  const digests = (): Promise<FileDigests> => (loading ??= loadEngine({}).then(digestsBy));
  return {
    modelSha256: async (file) => (await digests()).modelSha256(file),
    adapterSha256: async (file) => (await digests()).adapterSha256(file),
  };
};

const loadEngine = async (options: LanguageModelEngineOptions): Promise<LanguageModelEngine> => {
  const loaded = await import('#engines/language-model/language-model.engine.js');
  return loaded.createLanguageModelEngine(options);
};

const digestsBy = (models: LanguageModelEngine): FileDigests => ({
  modelSha256: async (file) => (await models.describe(file)).sha256,
  adapterSha256: async (file) => (await models.describeAdapter(file)).sha256,
});

type PiecesOf = (delta: CompletionDelta, used: CompletionUsage) => readonly TextPiece[];

const richPiece: PiecesOf = (delta, { completionTokens, promptTokens }) => [
  { ...delta, completionTokens, promptTokens },
];

const tuples = (): PiecesOf => {
  let isFirst = true;
  return ({ text }, { completionTokens, promptTokens }) => {
    if (text === '') return [];
    const piece: TextPiece = isFirst
      ? [text, completionTokens, promptTokens]
      : [text, completionTokens];
    isFirst = false;
    return [piece];
  };
};

/** Where the files of tasks are. */
interface TextFiles {
  readonly store: ModelStore;
  readonly adapters: ModelStore;
  readonly borrow?: (file: BorrowedFile) => Promise<string>;
}

class TextModels implements Engine<TextTask, TextPiece, TextEnd> {
  #completionTokens = 0;

  constructor(
    private readonly models: LanguageModelEngine,
    private readonly files: TextFiles,
    private readonly stopScanning: () => void,
  ) {}

  async *run(task: TextTask, signal: AbortSignal): AsyncGenerator<TextPiece, TextEnd, void> {
    const request = await this.requestOf(task);
    let used: CompletionUsage = NOTHING;
    const deltas = this.models.choices(request, signal, (now) => (used = now));
    const piecesOf = isRich(task) ? richPiece : tuples();
    try {
      let next = await deltas.next();
      for (; !next.done; next = await deltas.next()) yield* piecesOf(next.value, used);
      if (!signal.aborted) this.#completionTokens += next.value.completionTokens;
      return next.value;
    } finally {
      await deltas.return(NOTHING);
    }
  }

  /** The files of a task, where this machine has them. */
  private async requestOf(task: TextTask): Promise<CompletionRequest> {
    if ('modelFile' in task) return task;
    const { modelSha256: sha256, modelLender: lender, adapter, ...asked } = task;
    return {
      ...asked,
      modelFile: await this.fileOf('model', sha256, lender),
      ...(adapter && {
        adapter: {
          file: await this.fileOf('adapter', adapter.sha256, adapter.lender),
          scale: adapter.scale,
        },
      }),
    };
  }

  /** In the folders of this machine, or a copy of the file of the process that asks. */
  private async fileOf(kind: FileKind, sha256: string, lender?: string): Promise<string> {
    const { store, adapters, borrow } = this.files;
    try {
      return await (kind === 'model' ? store : adapters).fileOf(sha256);
    } catch (error) {
      const isLent = borrow && lender !== undefined && error instanceof FileMissingError;
      if (!isLent) throw error;
      return borrow({ sha256, lender }).catch((cause: unknown) => {
        throw new FileMissingError(kind, sha256, { cause });
      });
    }
  }

  status() {
    const { store } = this.files;
    const { count } = store;
    const reasons = count === 0 ? ['there is no model file'] : [];
    return {
      ready: count > 0,
      reasons,
      models: store.models(),
      facts: { models: count },
    };
  }

  counts() {
    return [
      {
        name: 'quipu_worker_completion_tokens_total',
        help: 'Tokens generated by tasks that were done.',
        total: this.#completionTokens,
      },
    ];
  }

  close(): Promise<void> {
    this.stopScanning();
    return this.models.close();
  }
}
