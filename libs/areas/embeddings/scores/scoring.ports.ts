/** The ports of moderations and rankings to other areas, in addition to the ledger. */
import { type TokenRate, type TokenRates } from '#platform/chats/token-tariff.js';
import { type EmbeddingUsage, type RigAttempt, type RigsFailure } from '../ports.js';

export type ScoringTask = 'rerank' | 'moderation';

export interface ScoringModel {
  readonly id: string;
  readonly upstreamId: string;
  /** Tokens of one input, or of the query and one document. */
  readonly contextTokens: number;
  /** Whether a caller that leaves a request which its rig has accepted pays for it. */
  readonly chargesCancelled: boolean;
}

/** The models of the catalog that moderate or rank. The class is the token; no look-up waits. */
export abstract class ScoringModels implements TokenRates {
  /** In the order of the catalog. */
  abstract all(task: ScoringTask): readonly ScoringModel[];
  abstract rateFor(modelId: string, atMs: number): TokenRate | undefined;
  abstract idOf(name: string): string | undefined;
}

export interface ScoringUsage extends EmbeddingUsage {
  /** As Cohere counts them; absent: neither stated nor counted. */
  readonly searches?: number;
}

export interface ScoringOrder {
  readonly task: ScoringTask;
  /** The catalog id of the model. */
  readonly model: string;
  readonly accountId: string;
  /** The body to send. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Inputs or documents. */
  readonly items: number;
  readonly promptTokensMax: number;
  /** The usage of a rig that states none. */
  readonly counted: Pick<ScoringUsage, 'promptTokens' | 'searches'>;
}

export type ScoringResult = Readonly<Record<string, unknown>>;

export interface RigScores {
  readonly rig: string;
  /** In order; the last one answered. */
  readonly attempts: readonly RigAttempt[];
  /** The rig's name for the model; absent: the upstream id of the catalog's model. */
  readonly modelSent?: string;
  readonly results: readonly ScoringResult[];
  readonly id: string | null;
  readonly modelAnswered: string | null;
  readonly usage: ScoringUsage;
}

/** The rigs that moderate and rank. The class is the injection token. */
export abstract class ScoringRigs {
  /**
   * Rejects a request that no rig can take now, or with a field of a rig's operator.
   * @throws a technical failure, which is mapped to its HTTP status
   */
  abstract check(order: Pick<ScoringOrder, 'model' | 'accountId' | 'body'>): void;
  /** @throws what `failureOf` explains */
  abstract score(order: ScoringOrder, signal: AbortSignal): Promise<RigScores>;
  /** Null for an error that no rig caused: a defect. */
  abstract failureOf(error: unknown): ScoringFailure | null;
}

export interface ScoringFailure extends Omit<RigsFailure, 'used' | 'retry'> {
  readonly used: {
    readonly rig: string;
    readonly attempts: number;
    readonly usage: ScoringUsage;
  } | null;
}
