import { type RigAttemptsRecorded, type RigWork } from '#events/costs/rig-attempt.events.js';
import { instantAt } from '#platform/kernel/clock.js';

/** An attempt as the router of inference observes it. */
export interface ObservedAttempt extends Pick<RigWork, 'model' | 'sent' | 'rig' | 'outcome'> {
  readonly account: string | null;
  readonly holdId: string | null;
  readonly usage: {
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly parts?: NonNullable<NonNullable<RigWork['parts']>[number]>;
    readonly source: NonNullable<RigWork['usageSource']>;
  } | null;
  readonly cost: {
    readonly basis: NonNullable<RigWork['costBasis']>;
    readonly picoUsd: bigint;
  } | null;
  readonly trace?: string | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

const SENT_LENGTH_MAX = 256;

const sentIn = ({ sent }: ObservedAttempt): string => sent.slice(0, SENT_LENGTH_MAX);

const isOf = (work: RigWork, attempt: ObservedAttempt): boolean =>
  work.model === attempt.model &&
  work.rig === attempt.rig &&
  work.outcome === attempt.outcome &&
  work.sent === sentIn(attempt) &&
  work.usageSource === (attempt.usage?.source ?? null) &&
  work.costBasis === (attempt.cost?.basis ?? null);

const workOf = (attempt: ObservedAttempt): RigWork => ({
  model: attempt.model,
  sent: sentIn(attempt),
  rig: attempt.rig,
  outcome: attempt.outcome,
  usageSource: attempt.usage?.source ?? null,
  costBasis: attempt.cost?.basis ?? null,
  accountIds: [],
  holdIds: [],
  startedMs: [],
  tookMs: [],
  inputTokens: [],
  outputTokens: [],
  picoUsd: [],
});

const add = (work: RigWork, attempt: ObservedAttempt, sinceMs: number): void => {
  const { usage, cost, trace } = attempt;
  const startedAtMs = Math.floor(attempt.startedAtMs);
  const count = work.accountIds.push(attempt.account);
  work.holdIds.push(attempt.holdId);
  work.startedMs.push(startedAtMs - sinceMs);
  work.tookMs.push(Math.max(0, Math.floor(attempt.endedAtMs) - startedAtMs));
  if (usage) {
    work.inputTokens.push(usage.promptTokens);
    work.outputTokens.push(usage.completionTokens);
  }
  if (cost) work.picoUsd.push(cost.picoUsd.toString());
  const parts = usage?.parts;
  // A list begins with the first attempt that has an entry for it.
  if (parts) work.parts ??= Array.from({ length: count - 1 }, () => null);
  work.parts?.push(parts ?? null);
  if (trace !== undefined) work.traces ??= Array.from({ length: count - 1 }, () => null);
  work.traces?.push(trace ?? null);
};

/** The attempts as the log keeps them: one entry of work for all with the same names. */
export const tableOf = (
  attempts: readonly ObservedAttempt[],
): Pick<RigAttemptsRecorded['data'], 'work' | 'since'> => {
  let sinceMs = Infinity;
  for (const { startedAtMs } of attempts) sinceMs = Math.min(sinceMs, Math.floor(startedAtMs));
  const work: RigWork[] = [];
  for (const attempt of attempts) {
    let known = work.find((one) => isOf(one, attempt));
    if (!known) work.push((known = workOf(attempt)));
    add(known, attempt, sinceMs);
  }
  return { work, since: instantAt(sinceMs) };
};
