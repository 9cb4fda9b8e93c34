/** The pairs of models in memory, and contexts for their requests. The child process loads it. */
import {
  resolveChatWrapper,
  type LlamaContext,
  type LlamaContextSequence,
  type LlamaModel,
} from 'node-llama-cpp';
import { disposeLlama, loadModel } from '#engines/language-model/child/llama-runtime.js';
import type { ChatWrapper } from '#engines/language-model/child/prompt.js';
import {
  SMALL_MODEL_BYTES,
  SMALL_MODEL_CONTEXT,
} from '#engines/language-model/child/small-models.js';
import type { PairComparison } from './pair-comparison.js';
import type { Failure, ModelFile, SpeculativeTask } from './speculative.protocol.js';

export interface Slot {
  readonly context: LlamaContext;
  readonly sequence: LlamaContextSequence;
}

export interface SlotPair {
  readonly target: Slot;
  readonly draft: Slot;
}

export interface LoadedPair {
  readonly target: LlamaModel;
  readonly draft: LlamaModel;
  readonly wrapper: ChatWrapper;
  readonly comparison: PairComparison;
  readonly idle: SlotPair[];
}

interface Resident {
  readonly loading: Promise<LoadedPair>;
  users: number;
}

/** An error whose failure the engine is to know. */
export class ReportedError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.code);
    this.failure = failure;
  }
}

export interface PairLimits {
  readonly pairsMax: number;
  readonly contextTokensMax: number;
}

export class LoadedPairs {
  private readonly limits: PairLimits;
  private readonly newComparison: () => PairComparison;
  /** In order of last use, the oldest first. */
  private readonly residents = new Map<string, Resident>();

  constructor(limits: PairLimits, newComparison: () => PairComparison) {
    this.limits = limits;
    this.newComparison = newComparison;
  }

  async use(task: SpeculativeTask, work: (pair: LoadedPair) => Promise<void>): Promise<void> {
    const files = [task.target, task.draft];
    const key = files.map(({ path, version }) => `${path}\n${version}`).join('\n');
    const resident = this.residents.get(key) ?? { loading: this.load(task), users: 0 };
    this.residents.delete(key);
    this.residents.set(key, resident);
    resident.users += 1;
    try {
      await work(await resident.loading);
    } catch (error) {
      // A failed load is not remembered: the file may be repaired.
      await resident.loading.catch(() => this.residents.delete(key));
      throw error;
    } finally {
      resident.users -= 1;
      await this.makeRoom();
    }
  }

  /** Contexts of its own for a request: its tokens do not depend on the requests beside it. */
  async withSlots(pair: LoadedPair, work: (slots: SlotPair) => Promise<void>): Promise<void> {
    const slots = pair.idle.pop() ?? {
      target: await this.open(pair.target),
      draft: await this.open(pair.draft),
    };
    try {
      await work(slots);
    } catch (error) {
      // A rejected prompt was never read; after any other failure the state is unknown.
      if (error instanceof ReportedError) pair.idle.push(slots);
      else await Promise.all([slots.target.context.dispose(), slots.draft.context.dispose()]);
      throw error;
    }
    await slots.target.sequence.clearHistory();
    await slots.draft.sequence.clearHistory();
    pair.idle.push(slots);
  }

  async close(): Promise<void> {
    await disposeLlama();
  }

  private async open(model: LlamaModel): Promise<Slot> {
    const context = await model.createContext({
      contextSize: { max: Math.min(this.limits.contextTokensMax, model.trainContextSize) },
      sequences: 1,
      ...(model.size < SMALL_MODEL_BYTES ? SMALL_MODEL_CONTEXT : {}),
    });
    return { context, sequence: context.getSequence() };
  }

  private async load({ target: targetFile, draft: draftFile }: SpeculativeTask) {
    const target = await modelIn(targetFile);
    const draft = await modelIn(draftFile);
    const wrapper = resolveChatWrapper(target);
    return { target, draft, wrapper, comparison: this.newComparison(), idle: [] };
  }

  /** Drops idle pairs, the longest unused first, until the limit holds; busy ones may exceed it. */
  private async makeRoom(): Promise<void> {
    for (const [key, { loading, users }] of [...this.residents]) {
      if (this.residents.size <= this.limits.pairsMax) return;
      if (users > 0) continue;
      this.residents.delete(key);
      const pair = await loading.catch(() => undefined);
      await pair?.target.dispose();
      await pair?.draft.dispose();
    }
  }
}

const modelIn = ({ path: file }: ModelFile): Promise<LlamaModel> =>
  loadModel(file, (reason) => new ReportedError({ code: 'model_file_invalid', file, reason }));
