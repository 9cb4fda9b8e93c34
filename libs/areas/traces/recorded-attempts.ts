import { type RigAttemptsRecorded, type RigWork } from '#events/costs/rig-attempt.events.js';
import { instantAt } from '#platform/kernel/clock.js';

/** One attempt of an event, with the names of its fields. */
export interface RigAttempt extends Pick<RigWork, 'model' | 'sent' | 'rig' | 'outcome'> {
  readonly accountId: string | null;
  readonly holdId: string | null;
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly source: NonNullable<RigWork['usageSource']>;
  } | null;
  readonly cost: {
    readonly basis: NonNullable<RigWork['costBasis']>;
    readonly picoUsd: string;
  } | null;
  readonly trace: string | null;
  readonly startedAt: string;
  readonly endedAt: string;
}

/** The attempts of an event, one by one. */
export const attemptsOf = ({ work, since }: RigAttemptsRecorded['data']): readonly RigAttempt[] => {
  const sinceMs = Date.parse(since);
  return work.flatMap((one) => {
    const { model, sent, rig, outcome, usageSource: source, costBasis: basis } = one;
    return one.accountIds.map((accountId, at): RigAttempt => {
      const inputTokens = one.inputTokens[at] ?? 0;
      const outputTokens = one.outputTokens[at] ?? 0;
      const startedAtMs = sinceMs + (one.startedMs[at] ?? 0);
      return {
        ...{ accountId, holdId: one.holdIds[at] ?? null, model, sent, rig, outcome },
        usage: source && { inputTokens, outputTokens, source },
        cost: basis && { basis, picoUsd: one.picoUsd[at] ?? '0' },
        trace: one.traces?.[at] ?? null,
        startedAt: instantAt(startedAtMs),
        endedAt: instantAt(startedAtMs + (one.tookMs[at] ?? 0)),
      };
    });
  });
};
