/** Chat completions of GGUF models by llama.cpp, in a child process that starts on first use. */
import { randomInt } from 'node:crypto';
import { ConcurrencyLimit, type Priority } from './concurrency-limit.js';
import {
  AdapterFileInvalidError,
  EngineClosedError,
  ModelFailedError,
  ModelFileInvalidError,
  PromptTooLongError,
} from './language-model.engine.errors.js';
import type {
  ChatMessage,
  Failure,
  FinishReason,
  FromChild,
  ChildSettings,
  GenerationTask,
  JsonObject,
  TaskAdapter,
  Tools,
} from './language-model.protocol.js';
import { type AdapterDescription, adapterVersionOf, describeAdapterFile } from './adapter-files.js';
import { ChoiceReader, type CompletionDelta } from './choice-reader.js';
import { DescribedFiles } from './described-files.js';
import {
  checkHeader,
  describeModelFile,
  fileVersionOf,
  type ModelDescription,
} from './model-files.js';
import { ModelProcess, startModelChild, type Inbox, type StartChild } from './model-process.js';

export type { ChatMessage, FinishReason, RatedToken, Tools } from './language-model.protocol.js';
export type { ModelDescription } from './model-files.js';
export type { AdapterDescription } from './adapter-files.js';
export type { CompletionDelta } from './choice-reader.js';

/** A low-rank adapter (LoRA) on the model's weights. */
export interface RequestedAdapter {
  /** Absolute path of a GGUF file of the type `adapter`, made for this model. */
  readonly file: string;
  /** 1 is the strength that it was trained for. */
  readonly scale: number;
}

export interface CompletionRequest {
  /** Absolute path of a GGUF file. */
  readonly modelFile: string;
  readonly messages: readonly ChatMessage[];
  /** 0 counts the prompt, however long it is, and writes nothing. */
  readonly maxTokens: number;
  /** 0 always takes the likeliest token. */
  readonly temperature: number;
  /** Share of the probability that sampling draws from; 1, the default, is all of it. */
  readonly topP?: number;
  /** The answer ends before the first of these appears. */
  readonly stop?: readonly string[];
  /**
   * The same seed and request give the same text. Drawn afresh when absent. Each further choice has
   * the next seed.
   */
  readonly seed?: number;
  /** Default: interactive. */
  readonly priority?: Priority;
  /** The answer is JSON of this shape; types, `const`, `enum`, `oneOf`, lengths. */
  readonly jsonSchema?: JsonObject;
  /** How many answers are wanted; default 1. */
  readonly choices?: number;
  /** Without `jsonSchema`. */
  readonly tools?: Tools;
  /** Rates each token of the answer, with this many of the likeliest ones; 0 to 20. */
  readonly topLogprobs?: number;
  readonly adapter?: RequestedAdapter;
}

export interface CompletionUsage {
  /** Tokens of the prompt as the model's template renders it, once; 0 if it was never rendered. */
  readonly promptTokens: number;
  /** Tokens of all choices, generated up to the last delta handed out. */
  readonly completionTokens: number;
  /** Of the first choice; `stop` also when the signal aborted. */
  readonly finishReason: FinishReason;
  /**
   * Measured: the time to load the adapter and to put it on the weights. Null where it was in
   * place; absent for a request without an adapter.
   */
  readonly adapterSwapMs?: number | null;
}

/** For callers that need the usage after every delta. */
export type UsageListener = (used: CompletionUsage) => void;

export interface LanguageModelEngine {
  /**
   * Yields pieces of all choices, the last of each with its reason, and returns what was used, also
   * when `signal` aborts. Otherwise as `stream`.
   */
  choices(
    request: CompletionRequest,
    signal: AbortSignal,
    onUsage?: UsageListener,
  ): AsyncGenerator<CompletionDelta, CompletionUsage, void>;
  /**
   * The text of one choice: yields deltas of whole characters and returns what was used, also when
   * `signal` aborts.
   * @param onUsage is called before each delta with the usage up to its end
   * @throws EngineBusyError, PromptTooLongError, ModelFileMissingError, ModelFileInvalidError,
   *   AdapterFileMissingError, AdapterFileInvalidError, ModelFailedError, EngineCrashedError,
   *   EngineClosedError
   */
  stream(
    request: CompletionRequest,
    signal: AbortSignal,
    onUsage?: UsageListener,
  ): AsyncGenerator<string, CompletionUsage, void>;
  /**
   * Reads the file, not the model: nothing native is loaded. Remembered until the file changes.
   * @throws ModelFileMissingError, ModelFileInvalidError
   */
  describe(modelFile: string): Promise<ModelDescription>;
  /**
   * The same for the file of an adapter.
   * @throws AdapterFileMissingError, AdapterFileInvalidError
   */
  describeAdapter(adapterFile: string): Promise<AdapterDescription>;
  /** Ends the child process. Running streams throw an EngineCrashedError. */
  close(): Promise<void>;
}

export interface LanguageModelEngineOptions extends Partial<ChildSettings> {
  /** Requests that generate at the same time, each in a context of its own. */
  readonly runningMax?: number;
  /** Requests that wait for a slot; one more fails with an EngineBusyError. */
  readonly waitingMax?: number;
  /** How the child is started. */
  readonly startChild?: StartChild;
}

export const DEFAULT_OPTIONS = {
  runningMax: 4,
  waitingMax: 64,
  loadedModelsMax: 2,
  adaptersMax: 128,
  contextTokensMax: 8192,
  sequencesMax: 16,
  contextBytesMax: 4 * 1024 ** 3,
  batchedModelBytesMin: 64 * 1024 ** 2,
  unreadDeltasMax: 32,
} as const;

const SEED_BELOW = 2 ** 32;

const NOTHING_USED: CompletionUsage = {
  promptTokens: 0,
  completionTokens: 0,
  finishReason: 'stop',
};

const errorOf = (failure: Failure, { modelFile, adapter }: CompletionRequest): Error => {
  switch (failure.code) {
    case 'prompt_too_long':
      return new PromptTooLongError(failure.promptTokens, failure.contextTokens);
    case 'model_file_invalid':
      return new ModelFileInvalidError(modelFile, failure.reason);
    case 'adapter_file_invalid':
      return new AdapterFileInvalidError(adapter?.file ?? 'none', failure.reason);
    case 'model_failed':
      return new ModelFailedError(failure.reason);
  }
};

interface Running {
  readonly child: ModelProcess;
  readonly id: number;
  readonly inbox: Inbox;
}

/** Turns the letters of one generation into deltas and usage. */
class GenerationReader {
  private readonly readers: ChoiceReader[] = [];
  private used: CompletionUsage = NOTHING_USED;

  constructor(
    private readonly running: Running,
    private readonly request: CompletionRequest,
    private readonly onUsage: UsageListener,
  ) {
    this.open([]);
  }

  async *deltas(): AsyncGenerator<CompletionDelta, CompletionUsage, void> {
    for (;;) {
      const letter = await this.running.inbox.take();
      if (letter === 'aborted' || letter.type === 'done') return this.used;
      for (const delta of this.deltasOf(letter)) {
        this.count(delta);
        this.onUsage(this.used);
        yield delta;
      }
      if (this.readers.every(({ hasEnded }) => hasEnded)) return this.used;
    }
  }

  private deltasOf(letter: Exclude<FromChild, { readonly type: 'done' }>) {
    switch (letter.type) {
      case 'prompt': {
        const { promptTokens, stopTexts, adapterSwapMs } = letter;
        this.used = {
          ...this.used,
          promptTokens,
          ...(adapterSwapMs !== undefined && { adapterSwapMs }),
        };
        this.open(stopTexts);
        return [];
      }
      case 'delta': {
        const { child, id } = this.running;
        child.acknowledge(id);
        const reader = this.readers[letter.choice];
        if (reader === undefined || reader.hasEnded) return [];
        const deltas = reader.push(letter);
        if (deltas.some(({ finishReason }) => finishReason)) child.stop(id, letter.choice);
        return deltas;
      }
      case 'ended': {
        const reader = this.readers[letter.choice];
        if (reader === undefined || reader.hasEnded) return [];
        return [reader.end(letter.finishReason, letter.completionTokens)];
      }
      case 'failed':
        throw errorOf(letter.failure, this.request);
    }
  }

  /** @param stopTexts by which the model's own template ends a turn */
  private open(stopTexts: readonly string[]): void {
    const { choices = 1, stop = [] } = this.request;
    this.readers.length = 0;
    for (let choice = 0; choice < choices; choice += 1) {
      this.readers.push(new ChoiceReader(choice, [...stop, ...stopTexts]));
    }
  }

  private count({ choice, finishReason }: CompletionDelta): void {
    const completionTokens = this.readers.reduce((sum, one) => sum + one.completionTokens, 0);
    const finished = choice === 0 && finishReason !== undefined ? { finishReason } : {};
    this.used = { ...this.used, completionTokens, ...finished };
  }
}

class ForkedLanguageModelEngine implements LanguageModelEngine {
  private readonly concurrency: ConcurrencyLimit;
  private readonly models = new DescribedFiles(fileVersionOf, describeModelFile);
  private readonly adapters = new DescribedFiles(adapterVersionOf, describeAdapterFile);
  /** Files that have a header: a native loader is not given any other. */
  private readonly headed = new DescribedFiles(fileVersionOf, checkHeader);
  private child: ModelProcess | undefined;
  private closed = false;

  constructor(
    private readonly settings: ChildSettings,
    private readonly startChild: StartChild,
    limits: { readonly runningMax: number; readonly waitingMax: number },
  ) {
    this.concurrency = new ConcurrencyLimit(limits.runningMax, limits.waitingMax);
  }

  async *stream(
    request: CompletionRequest,
    signal: AbortSignal,
    onUsage: UsageListener = () => undefined,
  ): AsyncGenerator<string, CompletionUsage, void> {
    let used = NOTHING_USED;
    const deltas = this.choices({ ...request, choices: 1 }, signal, (now) => (used = now));
    try {
      let next = await deltas.next();
      for (; !next.done; next = await deltas.next()) {
        const { text, call } = next.value;
        if (text === '' || call !== undefined) continue;
        onUsage(used);
        yield text;
      }
      return next.value;
    } finally {
      await deltas.return(NOTHING_USED);
    }
  }

  async *choices(
    request: CompletionRequest,
    signal: AbortSignal,
    onUsage: UsageListener = () => undefined,
  ): AsyncGenerator<CompletionDelta, CompletionUsage, void> {
    if (this.closed) throw new EngineClosedError();
    const admitted = await this.concurrency.enter(signal, request.priority);
    if (!admitted) return NOTHING_USED;
    const running = await this.begin(request);
    const abort = (): void => running.inbox.put('aborted');
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      return yield* new GenerationReader(running, request, onUsage).deltas();
    } finally {
      signal.removeEventListener('abort', abort);
      running.child.cancel(running.id);
    }
  }

  describe(modelFile: string): Promise<ModelDescription> {
    return this.models.describe(modelFile);
  }

  describeAdapter(adapterFile: string): Promise<AdapterDescription> {
    return this.adapters.describe(adapterFile);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.child?.close();
  }

  /** Starts the generation; from then on the child frees the slot when it has finished. */
  private async begin(request: CompletionRequest): Promise<Running> {
    try {
      const task = await this.taskOf(request);
      const child = this.currentChild();
      return { child, ...child.start(task, () => this.concurrency.leave()) };
    } catch (error) {
      this.concurrency.leave();
      throw error;
    }
  }

  private async taskOf(request: CompletionRequest): Promise<GenerationTask> {
    const { modelFile, messages, maxTokens, temperature, topP = 1, choices = 1 } = request;
    const { jsonSchema, tools, topLogprobs } = request;
    await this.headed.describe(modelFile);
    return {
      modelFile,
      fileVersion: await fileVersionOf(modelFile),
      messages,
      maxTokens,
      temperature,
      topP,
      seed: request.seed ?? randomInt(SEED_BELOW),
      choices,
      ...(jsonSchema && { jsonSchema }),
      ...(tools && { tools }),
      ...(topLogprobs !== undefined && { topLogprobs }),
      ...(request.adapter && { adapter: await this.adapterOf(request.adapter) }),
    };
  }

  private async adapterOf({ file, scale }: RequestedAdapter): Promise<TaskAdapter> {
    await this.adapters.describe(file);
    return { file, fileVersion: await adapterVersionOf(file), scale };
  }

  private currentChild(): ModelProcess {
    if (this.closed) throw new EngineClosedError();
    this.child ??= new ModelProcess(this.startChild, this.settings, () => {
      this.child = undefined;
    });
    return this.child;
  }
}

/** An engine that costs nothing until its first request. */
export const createLanguageModelEngine = (
  options: LanguageModelEngineOptions = {},
): LanguageModelEngine => {
  const { runningMax, waitingMax, startChild, ...settings } = {
    ...DEFAULT_OPTIONS,
    startChild: startModelChild,
    ...options,
  };
  return new ForkedLanguageModelEngine(settings, startChild, { runningMax, waitingMax });
};
