/** Chat completions of GGUF models by llama.cpp, in a child process that starts on first use. */
import { randomInt } from 'node:crypto';
import { ConcurrencyLimit, type Priority } from './concurrency-limit.js';
import {
  EngineClosedError,
  ModelFailedError,
  ModelFileInvalidError,
  PromptTooLongError,
} from './language-model.engine.errors.js';
import type { ChatMessage, Failure, ChildSettings, JsonObject } from './language-model.protocol.js';
import {
  describeModelFile,
  fileVersionOf,
  headerOf,
  type ModelDescription,
} from './model-files.js';
import { ModelProcess, startModelChild, type Inbox, type StartChild } from './model-process.js';
import { stopStrings, type StopStrings } from './stop-strings.js';

export type { ChatMessage } from './language-model.protocol.js';
export type { ModelDescription } from './model-files.js';

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
}

export interface CompletionUsage {
  /** Tokens of the prompt as the model's chat template renders it; 0 if it was never rendered. */
  readonly promptTokens: number;
  /** Tokens generated up to the last delta handed out. */
  readonly completionTokens: number;
  /** `stop` also when the signal aborted. */
  readonly finishReason: 'stop' | 'length';
}

/** For callers that need the usage after every delta. */
export type UsageListener = (used: CompletionUsage) => void;

export interface LanguageModelEngine {
  /**
   * Yields text deltas of whole characters and returns what was used, also when `signal` aborts.
   * @param onUsage is called before each delta with the usage up to its end
   * @throws EngineBusyError, PromptTooLongError, ModelFileMissingError, ModelFileInvalidError,
   *   ModelFailedError, EngineCrashedError, EngineClosedError
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
  contextTokensMax: 8192,
  unreadDeltasMax: 32,
} as const;

const SEED_BELOW = 2 ** 32;

const errorOf = (failure: Failure, modelFile: string): Error => {
  switch (failure.code) {
    case 'prompt_too_long':
      return new PromptTooLongError(failure.promptTokens, failure.contextTokens);
    case 'model_file_invalid':
      return new ModelFileInvalidError(modelFile, failure.reason);
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
  { modelFile, stop = [] }: CompletionRequest,
  onUsage: UsageListener,
): AsyncGenerator<string, CompletionUsage, void> {
  let used: CompletionUsage = { promptTokens: 0, completionTokens: 0, finishReason: 'stop' };
  let filter: StopStrings = stopStrings(stop);
  for (;;) {
    const letter = await inbox.take();
    if (letter === 'aborted') return used;
    switch (letter.type) {
      case 'prompt':
        used = { ...used, promptTokens: letter.promptTokens };
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
        throw errorOf(letter.failure, modelFile);
    }
  }
}

class ForkedLanguageModelEngine implements LanguageModelEngine {
  private readonly concurrency: ConcurrencyLimit;
  private readonly descriptions = new Map<
    string,
    { readonly version: string; readonly description: Promise<ModelDescription> }
  >();
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

  async describe(modelFile: string): Promise<ModelDescription> {
    const version = await fileVersionOf(modelFile);
    const known = this.descriptions.get(modelFile);
    if (known?.version === version) return known.description;
    const description = describeModelFile(modelFile);
    this.descriptions.set(modelFile, { version, description });
    description.catch(() => this.descriptions.delete(modelFile));
    return description;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.child?.close();
  }

  /** Starts the generation; from then on the child frees the slot when it has finished. */
  private async begin(request: CompletionRequest): Promise<Running> {
    try {
      const { modelFile, messages, maxTokens, temperature, topP = 1, jsonSchema } = request;
      const fileVersion = await fileVersionOf(modelFile);
      await headerOf(modelFile);
      const seed = request.seed ?? randomInt(SEED_BELOW);
      const asked = { modelFile, fileVersion, messages, maxTokens, temperature, topP, seed };
      const task = jsonSchema === undefined ? asked : { ...asked, jsonSchema };
      const child = this.currentChild();
      return { child, ...child.start(task, () => this.concurrency.leave()) };
    } catch (error) {
      this.concurrency.leave();
      throw error;
    }
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
