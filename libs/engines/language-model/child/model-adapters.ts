import type { LlamaContext, LlamaModel } from 'node-llama-cpp';
import type { TaskAdapter } from '#engines/language-model/language-model.protocol.js';
import {
  loadAdapter,
  type NativeAdapter,
  setAdapters,
} from '#engines/language-model/child/native-calls.js';
import { whyFailed } from '#engines/language-model/child/llama-runtime.js';
import { ReportedError } from '#engines/language-model/child/reported.error.js';

interface Resident {
  readonly loading: Promise<NativeAdapter>;
  /** Contexts that have it on their weights. */
  contexts: number;
}

/** The file, and how strongly it is applied. */
export const placementOf = (adapter: TaskAdapter | undefined): string =>
  adapter === undefined ? '' : `${fileKey(adapter)}\n${adapter.scale}`;

const fileKey = ({ file, fileVersion }: TaskAdapter): string => `${file}\n${fileVersion}`;

/**
 * The adapters of one model. A file is read once; beyond the limit, the longest unused adapter that
 * is on no context is freed.
 */
export class ModelAdapters {
  private readonly model: LlamaModel;
  private readonly residentMax: number;
  /** In order of last use, the oldest first. */
  private readonly residents = new Map<string, Resident>();
  private readonly placed = new Map<LlamaContext, Resident>();

  constructor(model: LlamaModel, residentMax: number) {
    this.model = model;
    this.residentMax = residentMax;
  }

  /**
   * Puts the adapter, or none, on the weights of a context in which nothing runs. Returns the
   * milliseconds that it took.
   * @throws ReportedError adapter_file_invalid; the context then has the adapter that it had
   */
  async place(context: LlamaContext, adapter: TaskAdapter | undefined): Promise<number> {
    const startedAt = performance.now();
    if (adapter === undefined) {
      setAdapters(context, [], []);
      this.leave(context);
    } else {
      const resident = this.resident(adapter);
      // Counted before the wait, so that it is not freed meanwhile.
      resident.contexts += 1;
      try {
        setAdapters(context, [await resident.loading], [adapter.scale]);
      } catch (error) {
        resident.contexts -= 1;
        this.residents.delete(fileKey(adapter));
        throw new ReportedError({
          code: 'adapter_file_invalid',
          reason: await whyFailed(error),
        });
      }
      this.leave(context);
      this.placed.set(context, resident);
    }
    await this.makeRoom();
    return performance.now() - startedAt;
  }

  /** The context is about to be disposed. */
  leave(context: LlamaContext): void {
    const resident = this.placed.get(context);
    if (resident === undefined) return;
    resident.contexts -= 1;
    this.placed.delete(context);
  }

  private resident(adapter: TaskAdapter): Resident {
    const key = fileKey(adapter);
    const resident = this.residents.get(key) ?? {
      loading: loadAdapter(this.model, adapter.file),
      contexts: 0,
    };
    this.residents.delete(key);
    this.residents.set(key, resident);
    return resident;
  }

  private async makeRoom(): Promise<void> {
    for (const [key, { loading, contexts }] of [...this.residents]) {
      if (this.residents.size <= this.residentMax) return;
      if (contexts > 0) continue;
      this.residents.delete(key);
      await (await loading).dispose();
    }
  }
}
