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
  ChildSettings,
  GenerationTask,
  JsonObject,
  TaskAdapter,
} from './language-model.protocol.js';
import { type AdapterDescription, adapterVersionOf, describeAdapterFile } from './adapter-files.js';
import { DescribedFiles } from './described-files.js';
import {
  checkHeader,
  describeModelFile,
  fileVersionOf,
  type ModelDescription,
} from './model-files.js';
import { ModelProcess, startModelChild, type Inbox, type StartChild } from './model-process.js';
import { stopStrings, type StopStrings } from './stop-strings.js';

export type { ChatMessage } from './language-model.protocol.js';
export type { ModelDescription } from './model-files.js';
export type { AdapterDescription } from './adapter-files.js';

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
  readonly maxTokens: number;
  /** 0 always takes the likeliest token. */
  readonly temperature: number;
  /** Share of the probability that sampling draws from; 1, the default, is all of it. */
  readonly topP?: number;
  /** The answer ends before the first of these appears. */
  readonly stop?: readonly string[];
  /** The same seed and request give the same text. Drawn afresh when absent. */
  readonly seed?: number;
  /** Default: interactive. */
  readonly priority?: Priority;
  /** The answer is JSON of this shape; types, `const`, `enum`, `oneOf`, lengths. */
  readonly jsonSchema?: JsonObject;
  readonly adapter?: RequestedAdapter;
}

export interface CompletionUsage {
  /** Tokens of the prompt as the model's chat template renders it; 0 if it was never rendered. */
  readonly promptTokens: number;
  /** Tokens generated up to the last delta handed out. */
  readonly completionTokens: number;
  /** `stop` also when the signal aborted. */
  readonly finishReason: 'stop' | 'length';
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
   * Yields text deltas of whole characters and returns what was used, also when `signal` aborts.
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
  unreadDeltasMax: 32,
} as const;

const SEED_BELOW = 2 ** 32;

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
async function* read(
  { child, id, inbox }: Running,
  request: CompletionRequest,
  onUsage: UsageListener,
): AsyncGenerator<string, CompletionUsage, void> {
  const { stop = [] } = request;
  let used: CompletionUsage = { promptTokens: 0, completionTokens: 0, finishReason: 'stop' };
  let filter: StopStrings = stopStrings(stop);
  for (;;) {
    const letter = await inbox.take();
    if (letter === 'aborted') return used;
    switch (letter.type) {
      case 'prompt':
        used = { ...used, promptTokens: letter.promptTokens };
        if (letter.adapterSwapMs !== undefined) {
          used = { ...used, adapterSwapMs: letter.adapterSwapMs };
        }
        filter = stopStrings([...stop, ...letter.stopTexts]);
        break;
      case 'delta': {
        child.acknowledge(id);
        used = { ...used, completionTokens: letter.completionTokens };
        const { text, stopped } = filter.push(letter.text);
        if (text !== '') {
          onUsage(used);
          yield text;
        }
        if (stopped) return used;
        break;
      }
      case 'done': {
        const rest = filter.flush();
        const { completionTokens, finishReason } = letter;
        used = { ...used, completionTokens, finishReason };
        if (rest !== '') {
          onUsage(used);
          yield rest;
        }
        return used;
      }
      case 'failed':
        throw errorOf(letter.failure, request);
    }
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
    if (this.closed) throw new EngineClosedError();
    const admitted = await this.concurrency.enter(signal, request.priority);
    if (!admitted) return { promptTokens: 0, completionTokens: 0, finishReason: 'stop' };
    const running = await this.begin(request);
    const abort = (): void => running.inbox.put('aborted');
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      return yield* read(running, request, onUsage);
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
    const { modelFile, messages, maxTokens, temperature, topP = 1, jsonSchema } = request;
    await this.headed.describe(modelFile);
    return {
      modelFile,
      fileVersion: await fileVersionOf(modelFile),
      messages,
      maxTokens,
      temperature,
      topP,
      seed: request.seed ?? randomInt(SEED_BELOW),
      ...(jsonSchema && { jsonSchema }),
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
