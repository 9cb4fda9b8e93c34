import { type WorkerRigDescription } from '#events/fleet/worker-rig.events.js';
import { type RigKind } from '#events/rig-kinds.js';

/** A rig, as a certification sees it. */
export interface MeasuredRig {
  readonly name: string;
  readonly kind: RigKind | 'worker';
  /** The description by its worker; null for a rig of the catalog. */
  readonly description: WorkerRigDescription | null;
  /** How many streams of low priority it may have at once. */
  readonly streamsMax: number;
  /** In the order of the catalog. */
  readonly models: readonly MeasuredModel[];
}

export interface MeasuredModel {
  /** The id in the catalog. */
  readonly id: string;
  /** Tokens of an answer, at most. */
  readonly outputTokensMax: number;
}

/** A question at temperature 0. */
export interface MeasuringChat {
  readonly rig: string;
  /** The id in the catalog. */
  readonly model: string;
  readonly question: string;
  readonly outputTokens: number;
  /** The rig has a slot for the question, which is sent now; called again for a retry. */
  readonly onSent: () => void;
}

/** The usage of an answer. */
export interface MeasuredUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** By the rig; otherwise counted here, which may be less than there was. */
  readonly isStated: boolean;
}

/** The rig could not be measured. The message names no address. */
export class RigProblem extends Error {
  override readonly name = 'RigProblem';
}

/** The rigs that other areas keep and ask. The class is the injection token. */
export abstract class MeasuredRigs {
  /** Those of the catalog, in its order. */
  abstract rigs(): readonly MeasuredRig[];

  /** A rig of the catalog, or of a worker that is up; undefined for none. */
  abstract find(name: string): Promise<MeasuredRig | undefined>;

  /**
   * The models, by their ids in the catalog, that the rig lists or has the file of.
   * @throws RigProblem
   */
  abstract listedModels(rig: string, signal: AbortSignal): Promise<ReadonlySet<string>>;

  /**
   * Asks one rig, behind the requests of callers, and yields the pieces of its answer.
   * @throws RigProblem
   */
  abstract stream(
    chat: MeasuringChat,
    signal: AbortSignal,
  ): AsyncGenerator<string, MeasuredUsage, void>;
}
