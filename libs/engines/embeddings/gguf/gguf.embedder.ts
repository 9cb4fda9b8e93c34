import { type ChildProcess } from 'node:child_process';
import { checkHeader, fileVersionOf } from '../../language-model/model-files.js';
import { type StartChild, startProgram } from '../../language-model/model-process.js';
import { type Embedder, type EmbedderRequest, faultOf } from '../embedder.js';
import { EmbeddingEngineError } from '../embeddings.errors.js';
import { type EmbeddedInput } from '../embeddings.protocol.js';
import { unitVector } from '../unit-vector.js';
import {
  type FromGgufChild,
  type GgufChildSettings,
  type GgufRequest,
  type ToGgufChild,
} from './gguf-embedding.protocol.js';

const SETTINGS: GgufChildSettings = { loadedModelsMax: 2, contextTokensMax: 8_192 };

const startGgufChild: StartChild<GgufChildSettings> = startProgram(
  new URL('./gguf-embedding.child', import.meta.url),
);

type Waiting = (reply: FromGgufChild | EmbeddingEngineError) => void;

/** One child, and the requests it has. */
class GgufChild {
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;

  constructor(start: StartChild<GgufChildSettings>, onExit: () => void) {
    this.#child = start(SETTINGS);
    this.#rest();
    this.#child.on('message', (message) => this.#deliver(message as FromGgufChild));
    this.exited = new Promise((resolve) => {
      const gone = (reason: string): void => {
        onExit();
        this.#abandon(reason);
        resolve();
      };
      // A process that could not be started never exits.
      this.#child.on('error', ({ message }) => {
        if (this.#child.pid === undefined) gone(message);
      });
      this.#child.once('exit', (code, signal) => gone(signal ?? `exit code ${code ?? 0}`));
    });
  }

  ask(request: Omit<GgufRequest, 'id'>): Promise<FromGgufChild | EmbeddingEngineError> {
    const id = this.#nextId;
    this.#nextId += 1;
    if (this.#waiting.size === 0) this.#hold();
    this.#post({ type: 'embed', request: { ...request, id } });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  async close(): Promise<void> {
    this.#hold();
    if (this.#waiting.size === 0) this.#post({ type: 'close' });
    else this.#child.kill('SIGKILL');
    await this.exited;
  }

  #post(message: ToGgufChild): void {
    // An ended child gets no messages; its exit fails every pending request.
    this.#child.send(message, () => undefined);
  }

  #deliver(reply: FromGgufChild): void {
    const deliver = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#rest();
    deliver?.(reply);
  }

  #abandon(reason: string): void {
    const message = `the process of the embedding models ended: ${reason}`;
    for (const deliver of this.#waiting.values()) {
      deliver(new EmbeddingEngineError('crashed', message));
    }
    this.#waiting.clear();
  }

  /** This process must not end under a running request … */
  #hold(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  /** … nor live on for an idle child. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

/** GGUF models on llama.cpp, in a child process from the first request until `close`. */
export class GgufEmbedder implements Embedder {
  #child: GgufChild | undefined;
  #isClosed = false;

  constructor(private readonly startChild: StartChild<GgufChildSettings> = startGgufChild) {}

  async embed({ modelFile, inputs, dimensions }: EmbedderRequest) {
    const fileVersion = await this.#versionOf(modelFile);
    const reply = await this.#current().ask({ modelFile, fileVersion, inputs });
    if (reply instanceof EmbeddingEngineError) throw reply;
    if (reply.type === 'failed') throw faultOf(reply.code, reply.reason, reply.at);
    return reply.vectors.map((vector, at): EmbeddedInput => {
      const size = vector.length;
      if (dimensions !== null && dimensions > size) {
        const message = `the model has ${size} dimensions, and not ${dimensions}`;
        throw new EmbeddingEngineError('dimensions_unsupported', message);
      }
      return { vector: unitVector(vector, dimensions ?? size), tokens: reply.tokens[at] ?? 0 };
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#child?.close();
  }

  async #versionOf(modelFile: string): Promise<string> {
    try {
      const version = await fileVersionOf(modelFile);
      // llama.cpp ends its process for some files that are no models.
      await checkHeader(modelFile);
      return version;
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      const isMissing =
        Error.isError(cause) && 'code' in cause && cause.code === 'model_file_missing';
      const code = isMissing ? 'model_file_missing' : 'model_file_invalid';
      throw new EmbeddingEngineError(code, message, { cause });
    }
  }

  #current(): GgufChild {
    if (this.#isClosed) throw new EmbeddingEngineError('closed', 'the embeddings engine is closed');
    this.#child ??= new GgufChild(this.startChild, () => (this.#child = undefined));
    return this.#child;
  }
}
