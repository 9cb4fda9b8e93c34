import {
  EmbeddingRigs,
  type RigEmbeddings,
  type RigOrder,
  type RigsFailure,
} from '#areas/embeddings/ports.js';
import {
  type RigScores,
  ScoringRigs,
  type ScoringFailure,
  type ScoringOrder,
} from '#areas/embeddings/scores/scoring.ports.js';
import { dimensionsOf } from '#areas/inference/rigs/embedding-backend.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { RouteError } from '#areas/inference/rigs/route-error.js';

type Target = Pick<RigOrder, 'model' | 'accountId' | 'body'>;

/** The rigs of the current catalog, with the slots, queues and breakers that chats have there. */
export class RoutedEmbeddingRigs extends EmbeddingRigs {
  constructor(private readonly router: Pick<RigRouter, 'check' | 'rejectFields' | 'embed'>) {
    super();
  }

  override check({ model, accountId: account, body }: Target): void {
    this.router.check({ model, account }, body);
  }

  override rejectFields({ model, accountId: account, body }: Target): void {
    this.router.rejectFields({ model, account }, body);
  }

  override async embed(order: RigOrder, signal: AbortSignal): Promise<RigEmbeddings> {
    const { model, accountId: account, body, promptTokensMax, priority } = order;
    const request = { body, promptTokensMax, ...(priority === 'batch' && { isBatch: true }) };
    const route = { model, account, priority, request: () => request };
    const { answer, rig, attempts } = await this.router.embed(route, signal);
    const [first = []] = answer.vectors;
    return { ...answer, dimensions: dimensionsOf(first), rig, attempts };
  }

  override failureOf(error: unknown): RigsFailure | null {
    return failureOf(error);
  }
}

/** The same rigs, where they moderate and rank. */
export class RoutedScoringRigs extends ScoringRigs {
  constructor(private readonly router: Pick<RigRouter, 'check' | 'score'>) {
    super();
  }

  override check({ model, accountId: account, body }: Target): void {
    this.router.check({ model, account }, body);
  }

  override async score(order: ScoringOrder, signal: AbortSignal): Promise<RigScores> {
    const { model, accountId: account, ...request } = order;
    const routed = await this.router.score({ model, account, request: () => request }, signal);
    const { answer, rig, attempts, modelSent } = routed;
    return { ...answer, rig, attempts, ...(modelSent !== undefined && { modelSent }) };
  }

  override failureOf(error: unknown): ScoringFailure | null {
    return failureOf(error);
  }
}

/** Null for an error that no rig caused. */
const failureOf = (error: unknown): (RigsFailure & ScoringFailure) | null => {
  if (!(error instanceof RouteError)) return null;
  const rig = error.attempts.at(-1)?.rig;
  const usage = error.details.rigError?.details.used;
  const used = rig !== undefined && usage ? { rig, attempts: error.attempts.length, usage } : null;
  const isCancelled = error.kind === 'cancelled';
  return { ...meaningOf(error), isCancelled, used: isCancelled ? used : null };
};

const meaningOf = ({ kind }: RouteError): Pick<RigsFailure, 'reason' | 'retry'> => {
  switch (kind) {
    case 'cancelled':
      return { reason: 'client_gone', retry: 'never' };
    case 'model-not-served':
    case 'rig-unknown':
    case 'rig-without-model':
    case 'refused':
      return { reason: 'refused', retry: 'never' };
    case 'overloaded':
    case 'queue-full':
    case 'rig-drained':
    case 'rig-lost':
    case 'down':
      return { reason: 'upstream_failed', retry: 'always' };
    case 'failed':
      return { reason: 'upstream_failed', retry: 'limited' };
  }
};
