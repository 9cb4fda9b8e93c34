import { EngineCrashedError } from '../language-model/language-model.engine.errors.js';
import { ModelProcess, type StartChild, startProgram } from '../language-model/model-process.js';
import { EnclaveError } from './enclave.errors.js';
import {
  type EnclaveResult,
  type EnclaveSettings,
  type EnclaveTask,
  type FromEnclave,
  type Measurement,
} from './enclave.protocol.js';

export interface EnclaveOptions {
  /** 32 bytes: the same installation and the same software have the same key. */
  readonly seed: Buffer;
  /** Absolute path of a GGUF file; null: no prompts. */
  readonly modelFile: string | null;
  readonly contextTokensMax?: number;
  readonly startChild?: StartChild<EnclaveSettings>;
}

/** The key of the process, and the measurements that it is derived from. */
export interface EnclaveIdentity {
  /** DER of a SubjectPublicKeyInfo of X25519. */
  readonly spki: Buffer;
  readonly log: readonly Measurement[];
}

/** A message that is sealed for the enclave key. */
export interface SealedOrder {
  readonly info: string;
  readonly aad: string;
  readonly message: Buffer;
}

export interface InferenceOrder extends SealedOrder {
  readonly maxTokens: number;
  readonly promptTokensMax: number;
}

export interface SealedAnswer {
  readonly reply: Buffer;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly finishReason: 'stop' | 'length';
}

const CONTEXT_TOKENS_MAX = 8_192;

/** Its own output and the variables of the gateway are closed to the process. */
const startEnclave: StartChild<EnclaveSettings> = startProgram(
  new URL('./enclave.child', import.meta.url),
  { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
);

type Process = ModelProcess<EnclaveTask, FromEnclave, EnclaveSettings>;
type ResultOf<Kind extends EnclaveTask['kind']> = Extract<EnclaveResult, { readonly kind: Kind }>;

interface Running {
  readonly process: Process;
  readonly identity: Promise<EnclaveIdentity>;
}

/** A process of its own that has the enclave key. It starts with the first call. */
export class Enclave {
  readonly #options: EnclaveOptions;
  #running: Running | undefined;
  #isClosed = false;

  constructor(options: EnclaveOptions) {
    this.#options = options;
  }

  /** @throws EnclaveError */
  identity(): Promise<EnclaveIdentity> {
    return this.#current().identity;
  }

  /**
   * Opens a message for the gateway.
   * @throws EnclaveError `unsealable`
   */
  async open(order: SealedOrder): Promise<Buffer> {
    const { plaintext } = await this.#ask({ kind: 'open', ...order });
    return Buffer.from(plaintext);
  }

  /**
   * Answers a sealed prompt by a sealed reply. When the signal aborts, the answer ends early and
   * has the tokens that were written.
   * @throws EnclaveError
   */
  async infer(order: InferenceOrder, signal: AbortSignal): Promise<SealedAnswer> {
    const { kind: _kind, reply, ...counts } = await this.#ask({ kind: 'infer', ...order }, signal);
    return { ...counts, reply: Buffer.from(reply) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running?.process.close();
  }

  async #ask<Task extends EnclaveTask>(
    task: Task,
    signal?: AbortSignal,
  ): Promise<ResultOf<Task['kind']>> {
    const { process, identity } = this.#current();
    await identity;
    return resultOf(process, task, signal);
  }

  #current(): Running {
    if (this.#isClosed) throw new EnclaveError('closed', 'the gateway stops');
    this.#running ??= this.#start();
    return this.#running;
  }

  #start(): Running {
    const { seed, modelFile, contextTokensMax = CONTEXT_TOKENS_MAX, startChild } = this.#options;
    const settings = { unreadDeltasMax: 1 };
    const process: Process = new ModelProcess(startChild ?? startEnclave, settings, () => {
      this.#running = undefined;
    });
    const identity = resultOf(process, { kind: 'start', seed, modelFile, contextTokensMax }).then(
      ({ spki, log }) => ({ spki: Buffer.from(spki), log }),
    );
    // Its callers get the error.
    identity.catch(() => undefined);
    return { process, identity };
  }
}

const resultOf = async <Task extends EnclaveTask>(
  process: Process,
  task: Task,
  signal?: AbortSignal,
): Promise<ResultOf<Task['kind']>> => {
  const { id, inbox } = process.start(task, () => undefined);
  const abort = (): void => process.cancel(id);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const letter = await inbox.take();
    if (letter === 'aborted') throw new Error('nothing aborts an enclave task but its process');
    if (letter.type === 'failed') throw new EnclaveError(letter.code, letter.message);
    return letter.result as ResultOf<Task['kind']>;
  } catch (cause) {
    if (!(cause instanceof EngineCrashedError)) throw cause;
    throw new EnclaveError('crashed', 'the enclave process ended', { cause });
  } finally {
    signal?.removeEventListener('abort', abort);
  }
};
