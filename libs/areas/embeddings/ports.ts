/**
 * The ports of embeddings to other areas, in addition to the ledger. The composition root binds
 * each port; embeddings know none of them.
 */
import { type TokenRate, type TokenRates } from '#platform/chats/token-tariff.js';
import { type Release } from '#platform/ledger/hold.js';

export interface EmbeddingModel {
  readonly id: string;
  readonly upstreamId: string;
  /** Tokens of one input. */
  readonly contextTokens: number;
  /** Of its vectors; null where only the rig knows. */
  readonly dimensions: number | null;
  /** Whether a caller that leaves a request which its rig has accepted pays for it. */
  readonly chargesCancelled: boolean;
}

/** The embedding models of the catalog. The class is the token; neither look-up waits. */
export abstract class EmbeddingModels implements TokenRates {
  /** Undefined for a model that is absent or makes no embeddings. */
  abstract model(id: string): EmbeddingModel | undefined;
  /** The rate in force at an instant, in milliseconds since the epoch. */
  abstract rateFor(modelId: string, atMs: number): TokenRate | undefined;
  abstract idOf(name: string): string | undefined;
}

/** Numbers, or 32-bit floats, little-endian, in base64: as a rig sends them. */
export type Vector = string | readonly number[];

/** Token counts as the rig states them, or as counted here when it states none. */
export interface EmbeddingUsage {
  readonly promptTokens: number;
  readonly source: 'provider' | 'counted';
}

/** Times one rig, in milliseconds from the start of routing. */
export interface RigAttempt {
  readonly startedMs: number;
  readonly endedMs: number;
}

export interface RigEmbeddings {
  readonly rig: string;
  /** In order; the last one answered. */
  readonly attempts: readonly RigAttempt[];
  /** One for each input, in their order, all of one length. */
  readonly vectors: readonly Vector[];
  readonly dimensions: number;
  readonly modelAnswered: string | null;
  readonly usage: EmbeddingUsage;
}

export interface RigOrder {
  /** The catalog id of the model. */
  readonly model: string;
  readonly accountId: string;
  /** The body to send. */
  readonly body: Readonly<Record<string, unknown>> & {
    readonly input: readonly (string | readonly number[])[];
  };
  readonly promptTokensMax: number;
  readonly priority: 'interactive' | 'batch';
}

/** The consequence for a request that no rig answered. */
export interface RigsFailure {
  readonly reason: Release['reason'];
  readonly isCancelled: boolean;
  /** Of a cancelled request: what a rig had done by then. */
  readonly used: {
    readonly rig: string;
    readonly attempts: number;
    readonly usage: EmbeddingUsage;
  } | null;
  /** Whether the same request may be answered later. */
  readonly retry: 'never' | 'limited' | 'always';
}

/** The rigs that make embeddings. The class is the injection token. */
export abstract class EmbeddingRigs {
  /**
   * Rejects a request that no rig can take now, or with a field of a rig's operator.
   * @throws a technical failure, which is mapped to its HTTP status
   */
  abstract check(order: Pick<RigOrder, 'model' | 'accountId' | 'body'>): void;
  /** Rejects a field of a rig's operator, whether a rig is up or not. @throws as `check` */
  abstract rejectFields(order: Pick<RigOrder, 'model' | 'accountId' | 'body'>): void;
  /** @throws what `failureOf` explains */
  abstract embed(order: RigOrder, signal: AbortSignal): Promise<RigEmbeddings>;
  /** Null for an error that no rig caused: a defect. */
  abstract failureOf(error: unknown): RigsFailure | null;
}
