/**
 * Chat completions of GGUF models by TensorFlow.js: the whole model in a thread, or its layers in
 * the stages of a pipeline. Where it overlaps with the llama.cpp engine, it is used the same way.
 */
import { randomInt } from 'node:crypto';
import { ConcurrencyLimit } from '../language-model/concurrency-limit.js';
import {
  EngineClosedError,
  LanguageModelError,
  type LanguageModelErrorCode,
} from '../language-model/language-model.engine.errors.js';
import {
  type CompletionRequest,
  type CompletionUsage,
  type LanguageModelEngine,
} from '../language-model/language-model.engine.js';
import {
  describeModelFile,
  fileVersionOf,
  type ModelDescription,
} from '../language-model/model-files.js';
import { LayersThread, type Letters } from './layers-thread.js';
import { LayersError, type LayersErrorCode } from './llama-layers.errors.js';
import { type Division, type ThreadFailure, type ThreadSettings } from './llama-layers.protocol.js';
import { type RunReport } from './run/layer-run.js';

/** A request as the llama.cpp engine takes it; there is no grammar here. */
export type LayersRequest = Omit<CompletionRequest, 'jsonSchema'> & {
  /** Absent: all layers in one thread. */
  readonly division?: Division;
};

export interface LayersUsage extends Omit<CompletionUsage, 'finishReason'> {
  readonly finishReason: 'stop' | 'length';
  /** Null when the run was cut before its end. */
  readonly report: RunReport | null;
}

export type LayersListener = (used: LayersUsage) => void;

/** The promises of `LanguageModelEngine` hold, each method with more to ask or to tell. */
export interface LlamaLayersEngine extends Omit<
  LanguageModelEngine,
  'stream' | 'choices' | 'describeAdapter'
> {
  /** @throws as `LanguageModelEngine.stream` does; LayersError */
  stream(
    request: LayersRequest,
    signal: AbortSignal,
    onUsage?: LayersListener,
  ): AsyncGenerator<string, LayersUsage, void>;
}

export interface LlamaLayersOptions extends Partial<ThreadSettings> {
  /** Requests that generate at the same time. */
  readonly runningMax?: number;
  /** Requests that wait for their turn; one more fails with an EngineBusyError. */
  readonly waitingMax?: number;
}

export const DEFAULT_OPTIONS = {
  runningMax: 4,
  waitingMax: 16,
  residentsMax: 2,
  idleMsMax: 300_000,
  unreadDeltasMax: 32,
} as const;

const NOTHING: LayersUsage = {
  promptTokens: 0,
  completionTokens: 0,
  finishReason: 'stop',
  report: null,
};

const LAYERS_CODES: ReadonlySet<string> = new Set<LayersErrorCode>([
  'model_unsupported',
  'model_too_large',
  'stage_lost',
  'transport_unavailable',
]);

const errorOf = ({ code, message }: ThreadFailure): Error =>
  LAYERS_CODES.has(code)
    ? new LayersError(code as LayersErrorCode, message)
    : new LanguageModelError(code as LanguageModelErrorCode, message);

class ThreadedLayersEngine implements LlamaLayersEngine {
  readonly #concurrency: ConcurrencyLimit;
  readonly #descriptions = new Map<
    string,
    { readonly version: string; readonly description: Promise<ModelDescription> }
  >();
  #thread: LayersThread | undefined;
  #isClosed = false;

  constructor(
    private readonly settings: ThreadSettings,
    limits: { readonly runningMax: number; readonly waitingMax: number },
  ) {
    this.#concurrency = new ConcurrencyLimit(limits.runningMax, limits.waitingMax);
  }

  async *stream(
    request: LayersRequest,
    signal: AbortSignal,
    onUsage: LayersListener = () => undefined,
  ): AsyncGenerator<string, LayersUsage, void> {
    if (this.#isClosed) throw new EngineClosedError();
    if (!(await this.#concurrency.enter(signal, request.priority))) return NOTHING;
    const { thread, id, letters } = await this.#begin(request);
    const abort = (): void => letters.put('aborted');
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      return yield* read(letters, () => thread.acknowledge(id), onUsage);
    } finally {
      signal.removeEventListener('abort', abort);
      thread.cancel(id);
    }
  }

  async describe(modelFile: string): Promise<ModelDescription> {
    const version = await fileVersionOf(modelFile);
    const known = this.#descriptions.get(modelFile);
    if (known?.version === version) return known.description;
    const description = describeModelFile(modelFile);
    this.#descriptions.set(modelFile, { version, description });
    description.catch(() => this.#descriptions.delete(modelFile));
    return description;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.close();
  }

  async #begin(request: LayersRequest) {
    try {
      const { modelFile, messages, maxTokens, temperature } = request;
      const { topP = 1, stop = [], seed = randomInt(2 ** 32), division = null } = request;
      const fileVersion = await fileVersionOf(modelFile);
      const asked = { modelFile, fileVersion, messages, maxTokens, temperature };
      const task = { ...asked, topP, stop, seed, division };
      const thread = this.#currentThread();
      return { thread, ...thread.start(task, () => this.#concurrency.leave()) };
    } catch (error) {
      this.#concurrency.leave();
      throw error;
    }
  }

  #currentThread(): LayersThread {
    if (this.#isClosed) throw new EngineClosedError();
    this.#thread ??= new LayersThread(this.settings, () => (this.#thread = undefined));
    return this.#thread;
  }
}

/** Turns the letters of one generation into deltas and usage. */
async function* read(
  letters: Letters,
  acknowledge: () => void,
  onUsage: LayersListener,
): AsyncGenerator<string, LayersUsage, void> {
  let used = NOTHING;
  for (;;) {
    const letter = await letters.take();
    if (letter === 'aborted') return used;
    switch (letter.type) {
      case 'delta': {
        acknowledge();
        const { promptTokens, completionTokens } = letter;
        used = { ...used, promptTokens, completionTokens };
        onUsage(used);
        yield letter.text;
        break;
      }
      case 'done': {
        const { promptTokens, completionTokens, finishReason, report } = letter;
        return { promptTokens, completionTokens, finishReason, report };
      }
      case 'failed':
        throw errorOf(letter.failure);
    }
  }
}

/** An engine that costs nothing until its first request. */
export const createLlamaLayersEngine = (options: LlamaLayersOptions = {}): LlamaLayersEngine => {
  const { runningMax, waitingMax, ...settings } = { ...DEFAULT_OPTIONS, ...options };
  return new ThreadedLayersEngine(settings, { runningMax, waitingMax });
};
