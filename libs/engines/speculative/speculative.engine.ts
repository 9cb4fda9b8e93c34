/** Speculative decoding of pairs of GGUF models, in a child process that starts on first use. */
import { randomInt } from 'node:crypto';
import { ConcurrencyLimit } from '../language-model/concurrency-limit.js';
import {
  EngineClosedError,
  ModelFailedError,
  ModelFileInvalidError,
  PromptTooLongError,
} from '../language-model/language-model.engine.errors.js';
import { type ChatMessage } from '../language-model/language-model.protocol.js';
import { fileVersionOf } from '../language-model/model-files.js';
import {
  type Inbox,
  ModelProcess,
  type StartChild,
  startProgram,
} from '../language-model/model-process.js';
import { stopStrings, type StopStrings } from '../language-model/stop-strings.js';
import {
  type Comparison,
  type Failure,
  type FromChild,
  type SpeculativeChildSettings,
  type SpeculativeCounts,
  type SpeculativeTask,
} from './speculative.protocol.js';
import { demandSameVocabulary } from './vocabularies.js';

export { type Comparison, type SpeculativeCounts } from './speculative.protocol.js';

export interface SpeculativeRequest {
  /** Absolute paths of GGUF files with one vocabulary. */
  readonly targetFile: string;
  readonly draftFile: string;
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  /** 0 always takes the likeliest token. */
  readonly temperature: number;
  /** Of both models; 1, the default, is all of the probability. */
  readonly topP?: number;
  /** The answer ends before the first of these appears. */
  readonly stop?: readonly string[];
  /** Drawn when absent. */
  readonly seed?: number;
  /** Tokens that are drafted for one evaluation of the target. */
  readonly draftTokensMax: number;
}

export interface SpeculativeUsage {
  /** By the target's chat template; 0 if the prompt was never rendered. */
  readonly promptTokens: number;
  /** Up to the last delta that was handed out. */
  readonly completionTokens: number;
  /** `stop` also when the signal aborted. */
  readonly finishReason: 'stop' | 'length';
  /** Null before the first token. An answer that is cut has the counts of its decoded part. */
  readonly counts: SpeculativeCounts | null;
  /** Of earlier requests to the pair; null before the first comparison. */
  readonly comparison: Comparison | null;
}

export interface SpeculativeEngineOptions extends Partial<SpeculativeChildSettings> {
  /** Requests that generate at the same time, each in contexts of its own. */
  readonly runningMax?: number;
  /** Requests that wait for a slot; one more fails with an EngineBusyError. */
  readonly waitingMax?: number;
  readonly startChild?: StartChild<SpeculativeChildSettings>;
}

export const SPECULATIVE_DEFAULTS = {
  runningMax: 2,
  waitingMax: 32,
  loadedPairsMax: 2,
  contextTokensMax: 8192,
  unreadDeltasMax: 32,
  comparisonShare: 0.1,
} as const;

const SEED_BELOW = 2 ** 32;
const NOTHING: SpeculativeUsage = {
  promptTokens: 0,
  completionTokens: 0,
  finishReason: 'stop',
  counts: null,
  comparison: null,
};

const startSpeculativeChild: StartChild<SpeculativeChildSettings> = startProgram(
  new URL('./speculative.child', import.meta.url),
);

type Process = ModelProcess<SpeculativeTask, FromChild, SpeculativeChildSettings>;

interface Running {
  readonly child: Process;
  readonly id: number;
  readonly inbox: Inbox<FromChild>;
}

export class SpeculativeEngine {
  readonly #concurrency: ConcurrencyLimit;
  readonly #settings: SpeculativeChildSettings;
  readonly #startChild: StartChild<SpeculativeChildSettings>;
  /** Pairs of file versions whose vocabularies were compared. */
  readonly #compared = new Set<string>();
  #child: Process | undefined;
  #closed = false;

  constructor(options: SpeculativeEngineOptions = {}) {
    const { runningMax, waitingMax, startChild, ...settings } = {
      ...SPECULATIVE_DEFAULTS,
      startChild: startSpeculativeChild,
      ...options,
    };
    this.#concurrency = new ConcurrencyLimit(runningMax, waitingMax);
    this.#settings = settings;
    this.#startChild = startChild;
  }

  /**
   * Yields text of whole characters and returns what was used, also when `signal` aborts.
   * @param onUsage is called before each delta with the usage up to its end
   * @throws EngineBusyError, VocabularyMismatchError, PromptTooLongError, ModelFileMissingError,
   *   ModelFileInvalidError, ModelFailedError, EngineCrashedError, EngineClosedError
   */
  async *stream(
    request: SpeculativeRequest,
    signal: AbortSignal,
    onUsage: (used: SpeculativeUsage) => void = () => undefined,
  ): AsyncGenerator<string, SpeculativeUsage, void> {
    if (this.#closed) throw new EngineClosedError();
    if (!(await this.#concurrency.enter(signal))) return NOTHING;
    const running = await this.#begin(request);
    const abort = (): void => running.inbox.put('aborted');
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      return yield* read(running, request, onUsage);
    } finally {
      signal.removeEventListener('abort', abort);
      // After its end, a request may be compared with plain decoding, which still runs.
      running.child.cancel(running.id);
    }
  }

  /** Ends the child process. Running streams throw an EngineCrashedError. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#child?.close();
  }

  /** From then on the child frees the slot, when it has finished. */
  async #begin({ targetFile, draftFile, ...request }: SpeculativeRequest): Promise<Running> {
    try {
      const target = { path: targetFile, version: await fileVersionOf(targetFile) };
      const draft = { path: draftFile, version: await fileVersionOf(draftFile) };
      const pair = JSON.stringify([target, draft]);
      if (!this.#compared.has(pair)) await demandSameVocabulary(targetFile, draftFile);
      this.#compared.add(pair);
      const { messages, maxTokens, temperature, topP = 1, draftTokensMax } = request;
      const seed = request.seed ?? randomInt(SEED_BELOW);
      const asked = { messages, maxTokens, temperature, topP, seed, draftTokensMax };
      const child = this.#currentChild();
      const task = { target, draft, ...asked };
      return { child, ...child.start(task, () => this.#concurrency.leave()) };
    } catch (error) {
      this.#concurrency.leave();
      throw error;
    }
  }

  #currentChild(): Process {
    if (this.#closed) throw new EngineClosedError();
    this.#child ??= new ModelProcess(this.#startChild, this.#settings, () => {
      this.#child = undefined;
    });
    return this.#child;
  }
}

/** Turns the messages of one generation into deltas and usage. */
async function* read(
  { child, id, inbox }: Running,
  { targetFile, stop = [] }: SpeculativeRequest,
  onUsage: (used: SpeculativeUsage) => void,
): AsyncGenerator<string, SpeculativeUsage, void> {
  let used = NOTHING;
  let filter: StopStrings = stopStrings(stop);
  for (;;) {
    const letter = await inbox.take();
    if (letter === 'aborted') return used;
    switch (letter.type) {
      case 'prompt':
        used = { ...used, promptTokens: letter.promptTokens, comparison: letter.comparison };
        filter = stopStrings([...stop, ...letter.stopTexts]);
        break;
      case 'pieces': {
        child.acknowledge(id);
        for (const [piece, completionTokens] of letter.pieces) {
          used = { ...used, completionTokens, counts: letter.counts };
          const { text, stopped } = filter.push(piece);
          if (text !== '') {
            onUsage(used);
            yield text;
          }
          if (stopped) return used;
        }
        break;
      }
      case 'answered': {
        const { completionTokens, finishReason, counts } = letter;
        used = { ...used, completionTokens, finishReason, counts };
        const rest = filter.flush();
        if (rest !== '') {
          onUsage(used);
          yield rest;
        }
        return used;
      }
      case 'done':
        throw new ModelFailedError('it ended without an answer');
      case 'failed':
        throw errorOf(letter.failure, targetFile);
    }
  }
}

const errorOf = (failure: Failure, targetFile: string): Error => {
  switch (failure.code) {
    case 'prompt_too_long':
      return new PromptTooLongError(failure.promptTokens, failure.contextTokens);
    case 'model_file_invalid':
      return new ModelFileInvalidError(failure.file, failure.reason);
    case 'model_failed':
      return new ModelFailedError(`${targetFile}: ${failure.reason}`);
  }
};
