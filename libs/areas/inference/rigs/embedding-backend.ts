import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatBackend, type JsonObject } from './chat-backend.js';
import { type CostSink } from './cost-sink.js';
import { type ScoringBackend } from './scoring-backend.js';

/** A request for embeddings, in the shape of the OpenAI API. */
export interface EmbeddingRequest {
  /** The body to send; `input` is a list, `model` is the rig's. */
  readonly body: JsonObject & { readonly input: readonly (string | readonly number[])[] };
  /** An upper bound on the tokens of all inputs. */
  readonly promptTokensMax: number;
  /** A line of a batch: a rig with a queue of its own lets interactive requests go first. */
  readonly isBatch?: boolean;
  /** Absent where the rig states no cost. */
  readonly cost?: CostSink;
}

/** Numbers, or 32-bit floats, little-endian, in base64: as the rig sends them. */
export type RigVector = string | readonly number[];

export interface EmbeddingAnswer {
  /** One for each input, in their order, all of one length. */
  readonly vectors: readonly RigVector[];
  /** Null where the rig does not say. */
  readonly modelAnswered: string | null;
  readonly usage: Usage;
}

/** A rig that makes embeddings. */
export interface EmbeddingBackend {
  /** @throws RigError */
  embed(request: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingAnswer>;
}

/** A rig that answers chats, and may make embeddings and scores. */
export type RigBackend = ChatBackend & Partial<EmbeddingBackend & ScoringBackend>;

/** A number is four bytes, and four characters of base64 are three. */
export const dimensionsOf = (vector: RigVector): number =>
  typeof vector === 'string' ? Buffer.byteLength(vector, 'base64') / 4 : vector.length;
