import { createHash } from 'node:crypto';
import { HoldCaptured, HoldExpired, HoldReleased } from '#events/billing/account.events.js';
import { RigAttemptsRecorded } from '#events/costs/rig-attempt.events.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { isTokenMeter, OUTPUT_METER, sideOf, type TokenSide } from '#events/token-meters.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { attemptsOf, type RigAttempt } from './recorded-attempts.js';

/** The events that have spans. */
export const TRACED = { HoldCaptured, HoldReleased, HoldExpired, RigAttemptsRecorded };

export type TracedEvent = HoldCaptured | HoldReleased | HoldExpired | RigAttemptsRecorded;

type Ended = HoldCaptured | HoldReleased | HoldExpired;

interface Attribute {
  readonly key: string;
  readonly value:
    | { readonly stringValue: string }
    | { readonly doubleValue: number }
    /** 64 bits, as JSON of protobuf has them. */
    | { readonly intValue: string };
}

/** A span in the JSON of OTLP 1.7 (`opentelemetry.proto.trace.v1.Span`). */
export interface Span {
  /** 32 and 16 hex digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number; readonly message?: string };
}

const KIND = { server: 2, client: 3 } as const;
const STATUS = { unset: 0, error: 2 } as const;

/** `gen_ai.operation.name` by product; other products are no requests to a model. */
const OPERATIONS: Readonly<Record<string, string>> = {
  chat_completion: 'chat',
  cached_chat: 'chat',
  background_response: 'chat',
  pipeline_completion: 'chat',
  cleanroom_enclave_chat: 'chat',
  embedding: 'embeddings',
  images: 'generate_content',
  agent_session: 'invoke_agent',
  mcp_tool_call: 'execute_tool',
};

const PICO_PER_USD = 1e12;

const nanos = (instant: string): string => `${Date.parse(instant)}000000`;

const text = (key: string, value: string | null | undefined): readonly Attribute[] =>
  value == null ? [] : [{ key, value: { stringValue: value } }];

const integer = (key: string, value: number | undefined): readonly Attribute[] =>
  value === undefined ? [] : [{ key, value: { intValue: String(value) } }];

const decimal = (key: string, value: number | undefined): readonly Attribute[] =>
  value === undefined ? [] : [{ key, value: { doubleValue: value } }];

/**
 * The trace of a request: the caller's, or one of its own, whose id is the id of its hold. The span
 * of the request is the end of that id.
 */
const placeOf = (holdId: string, trace: string | null | undefined) => {
  const own = holdId.replaceAll('-', '');
  const [traceId = own, parentSpanId] = trace?.split('-') ?? [];
  return { traceId, spanId: own.slice(16), ...(parentSpanId !== undefined && { parentSpanId }) };
};

const tokensOf = (lines: readonly ChargedLine[], side: TokenSide): number =>
  lines.reduce(
    (sum, { meter, quantity }) =>
      isTokenMeter(meter) && sideOf(meter) === side ? sum + quantity : sum,
    0,
  );

/** The facts of a charge; none for a request without one. */
const chargeOf = (event: Ended): readonly Attribute[] => {
  if (event.type !== 'HoldCaptured') return [];
  const { lines, amountMicroUsd, rig, outcome, firstByteMs } = event.data;
  const hasTokens = lines.some(({ meter }) => isTokenMeter(meter));
  return [
    ...(hasTokens
      ? [
          ...integer('gen_ai.usage.input_tokens', tokensOf(lines, 'input_tokens')),
          ...integer('gen_ai.usage.output_tokens', tokensOf(lines, OUTPUT_METER)),
        ]
      : []),
    ...decimal('gen_ai.usage.cost', toUsd(fromDecimal(amountMicroUsd))),
    ...text('quipu.rig', rig),
    ...text('quipu.outcome', outcome),
    ...integer('quipu.first_byte_ms', firstByteMs),
  ];
};

const endOf = (event: Ended): { readonly endedAt: string; readonly error: string | null } => {
  switch (event.type) {
    case 'HoldCaptured':
      return { endedAt: event.data.capturedAt, error: null };
    case 'HoldReleased':
      return { endedAt: event.data.releasedAt, error: event.data.reason };
    case 'HoldExpired':
      return { endedAt: event.data.expiredAt, error: 'expired' };
  }
};

const requestSpan = (event: Ended): Span => {
  const { accountId, holdId, placedAt, purpose, mode, model, key, endUser, tags = [] } = event.data;
  const { endedAt, error } = endOf(event);
  const operation = OPERATIONS[purpose];
  return {
    ...placeOf(holdId, event.data.trace),
    name: [operation ?? purpose, model].filter((word) => word !== undefined).join(' '),
    kind: KIND.server,
    startTimeUnixNano: nanos(placedAt),
    endTimeUnixNano: nanos(endedAt),
    attributes: [
      ...text('gen_ai.operation.name', operation),
      ...text('gen_ai.provider.name', operation === undefined ? undefined : 'quipu'),
      ...text('gen_ai.request.model', model),
      ...chargeOf(event),
      ...text('error.type', error),
      ...text('quipu.request_id', holdId),
      ...text('quipu.account', accountId),
      ...text('quipu.key', key),
      ...text('quipu.product', purpose),
      ...text('quipu.mode', mode),
      ...text('user.hash', endUser),
      ...tags.flatMap((tag) => {
        const [name = '', ...value] = tag.split('=');
        return text(`quipu.tag.${name}`, value.join('='));
      }),
    ],
    status: error === null ? { code: STATUS.unset } : { code: STATUS.error, message: error },
  };
};

const hexOf = (seed: string, digits: number): string =>
  createHash('sha256').update(seed).digest('hex').slice(0, digits);

/** @param seed of the ids: the same in every export */
const attemptSpan = (attempt: RigAttempt, seed: string): Span => {
  const { holdId, model, sent, rig, outcome, usage, cost, startedAt, endedAt, trace } = attempt;
  const spanId = hexOf(seed, 16);
  const request = holdId === null ? undefined : placeOf(holdId, trace);
  const isError = outcome !== 'answered' && outcome !== 'cancelled';
  return {
    ...(request
      ? { traceId: request.traceId, spanId, parentSpanId: request.spanId }
      : { traceId: hexOf(seed, 32), spanId }),
    name: `${sent} at ${rig}`,
    kind: KIND.client,
    startTimeUnixNano: nanos(startedAt),
    endTimeUnixNano: nanos(endedAt),
    attributes: [
      ...text('gen_ai.request.model', sent),
      ...integer('gen_ai.usage.input_tokens', usage?.inputTokens),
      ...integer('gen_ai.usage.output_tokens', usage?.outputTokens),
      ...text('error.type', isError ? outcome : undefined),
      ...text('quipu.model', model),
      ...text('quipu.rig', rig),
      ...text('quipu.outcome', outcome),
      ...text('quipu.account', attempt.accountId),
      ...decimal('quipu.purchase_cost_usd', cost ? Number(cost.picoUsd) / PICO_PER_USD : undefined),
      ...text('quipu.purchase_cost_basis', cost?.basis),
    ],
    status: isError ? { code: STATUS.error, message: outcome } : { code: STATUS.unset },
  };
};

/**
 * One span for each request that has ended, and one for each attempt at a rig, by OpenTelemetry's
 * conventions for generative AI (semantic conventions 1.37). No span has a text of a request.
 * @param eventId of the event: the ids of spans derive from it or from the hold
 */
export const spansOf = (event: TracedEvent, eventId: string): readonly Span[] =>
  event.type === 'RigAttemptsRecorded'
    ? attemptsOf(event.data).map((attempt, index) => attemptSpan(attempt, `${eventId}\n${index}`))
    : [requestSpan(event)];

export const TRACED_TYPES = Object.keys(TRACED);

/** The spans of the events of a log that have spans. */
export const spansOfRecorded = (
  codec: Pick<EventCodec, 'revive'>,
  events: readonly RecordedEvent[],
): readonly Span[] =>
  events
    .filter(({ type }) => TRACED_TYPES.includes(type))
    .flatMap((recorded) => spansOf(codec.revive(recorded) as TracedEvent, recorded.id));
