import { type Explanation } from '#areas/billing/explanations/explain-request.handler.js';
import { type ExplainedEvent } from '#areas/billing/explanations/explained-event.js';
import { type RememberedRejection } from '#areas/billing/explanations/rejection-memory.js';
import { type MicroUsd, toUsd } from '#platform/kernel/money.js';
import { snakeCaseKeys } from '#platform/kernel/snake-case-keys.js';
import { priceOf } from '#platform/ledger/price.js';
import { type ExplainedEventDto, type ExplanationDto } from './explanations.dto.js';

const usdOf = (amount: MicroUsd | null): number | null => (amount === null ? null : toUsd(amount));

export const presentExplanation = (explanation: Explanation): ExplanationDto => {
  if (explanation.kind === 'rejected') return presentRejection(explanation);
  const { requestId, accountId, status, events, complete } = explanation;
  return {
    success: true,
    request_id: requestId,
    account_id: accountId,
    outcome: status,
    events: events.map(presentEvent),
    complete,
    rejection: null,
  };
};

export const presentEvent = ({
  eventId,
  position,
  revision,
  recordedAt,
  event: { type, data },
  availableBefore,
  availableAfter,
}: ExplainedEvent): ExplainedEventDto => ({
  type,
  event_id: eventId,
  position: position.toString(),
  revision: revision.toString(),
  recorded_at: recordedAt,
  available_before_usd: usdOf(availableBefore),
  available_after_usd: usdOf(availableAfter),
  facts: snakeCaseKeys(data),
});

export const presentRejectionRow = ({
  requestId,
  rejectedAt,
  code,
  message,
  facts,
  asked,
}: RememberedRejection) => ({
  request_id: requestId,
  rejected_at: rejectedAt,
  code,
  message,
  facts: snakeCaseKeys(facts),
  purpose: asked?.purpose ?? null,
  asked_usd: asked && toUsd(priceOf(asked.lines)),
});

const presentRejection = ({
  rejection,
  askedMicroUsd,
  position,
  evidence,
}: Extract<Explanation, { readonly kind: 'rejected' }>): ExplanationDto => {
  const { requestId, accountId, rejectedAt, code, message, facts, asked } = rejection;
  return {
    success: true,
    request_id: requestId,
    account_id: accountId,
    outcome: 'rejected',
    events: [],
    complete: true,
    rejection: {
      code,
      message,
      rejected_at: rejectedAt,
      facts: snakeCaseKeys(facts),
      asked_usd: usdOf(askedMicroUsd),
      asked: asked && snakeCaseKeys(asked),
      position: position.toString(),
      evidence: evidence && {
        event_id: evidence.eventId,
        position: evidence.position.toString(),
        recorded_at: evidence.recordedAt,
        available_usd: toUsd(evidence.available),
      },
    },
  };
};
