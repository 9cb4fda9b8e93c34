import {
  type Explanation,
  ExplainRequestQuery,
} from '#areas/billing/explanations/explain-request.handler.js';
import { type ExplainedEvent } from '#areas/billing/explanations/explained-event.js';
import { type AccountEvent } from '#events/billing/account.events.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { type PriceTier } from '#events/token-price.vocabulary.js';
import { fromDecimal, inUsd, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { type Quipu, withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';

export interface ExplainRequestOptions extends CommonOptions {
  readonly requestId: string;
  readonly user?: string;
}

export const explainRequest = async (
  { requestId, user }: ExplainRequestOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = {
    areas: ['identity', 'billing'],
    installation: 'exists',
    projections: [],
  } as const;
  return withQuipu(invocation, needs, async ({ queries, placeAt }) => {
    const accountId = user === undefined ? null : await accountOf({ queries }, user);
    const found = await queries.execute(new ExplainRequestQuery(requestId, accountId));
    const placeOf = await placesOf(found, placeAt);
    return found.kind === 'rejected' ? rejected(found, placeOf) : admitted(found, placeOf);
  });
};

type Admitted = Extract<Explanation, { readonly kind: 'admitted' }>;
type Rejected = Extract<Explanation, { readonly kind: 'rejected' }>;

/** The place in the log that a copy keeps, of a position of the store. */
type PlaceOf = (position: bigint) => string | null;

const NOT_KNOWN = '(not counted yet)';

const placesOf = async (explanation: Explanation, placeAt: Quipu['placeAt']): Promise<PlaceOf> => {
  const explained =
    explanation.kind === 'rejected'
      ? [explanation, ...(explanation.evidence === null ? [] : [explanation.evidence])]
      : explanation.events;
  const places = new Map<bigint, string | null>();
  for (const { position } of explained) places.set(position, await placeAt(position));
  return (position) => places.get(position) ?? null;
};

const decimalOf = (amount: MicroUsd | null): string | null =>
  amount === null ? null : toDecimal(amount);

const admitted = (
  { accountId, requestId, status, events, complete }: Admitted,
  placeOf: PlaceOf,
): Outcome => ({
  json: {
    request_id: requestId,
    account_id: accountId,
    outcome: status,
    events: events.map((one) => ({
      type: one.event.type,
      event_id: one.eventId,
      position: placeOf(one.position),
      store_position: one.position.toString(),
      revision: one.revision.toString(),
      recorded_at: one.recordedAt,
      available_before_micro_usd: decimalOf(one.availableBefore),
      available_after_micro_usd: decimalOf(one.availableAfter),
      facts: one.event.data,
    })),
    complete,
  },
  text: [
    `Request ${requestId} of account ${accountId} ${STATUS_TEXT[status]}.`,
    ...events.flatMap((one) => eventText(one, placeOf(one.position))),
    ...(complete ? [] : ['Later events of the request were not looked for.']),
  ].join('\n'),
});

const STATUS_TEXT = {
  open: 'was admitted, and is not finished',
  charged: 'was admitted and charged',
  free: 'was admitted, and cost nothing',
} as const;

const eventText = (
  { event, recordedAt, availableBefore, availableAfter }: ExplainedEvent,
  place: string | null,
): readonly string[] => [
  '',
  `${recordedAt} (${event.type}, position ${place ?? NOT_KNOWN} of the log)`,
  ...factsText(event).map((sentence) => `  ${sentence}`),
  ...(availableBefore === null || availableAfter === null
    ? []
    : [`  The account had ${inUsd(availableBefore)} before, and ${inUsd(availableAfter)} after.`]),
];

const factsText = ({ type, data }: AccountEvent): readonly string[] => {
  switch (type) {
    case 'HoldPlaced':
      return [
        `${usdOf(data)} were held until ${data.expiresAt}, the worst case of ${data.purpose}` +
          `${data.key === undefined ? '' : ` by the key ${data.key}`}.`,
        `The prices are of rate card ${data.rateCardVersion}:`,
        ...data.lines.map(lineText),
      ];
    case 'HoldRenewed':
      return [
        `${usdOf(data)} more were held until ${data.expiresAt}:`,
        ...data.lines.map(lineText),
      ];
    case 'HoldCaptured':
      return [
        `${usdOf(data)} were charged for ${data.purpose}; ` +
          `${inUsd(fromDecimal(data.releasedMicroUsd))} of the hold were not needed.`,
        `${data.usageSource === 'provider' ? 'The provider' : 'Quipu'} counted, with the prices ` +
          `of rate card ${data.rateCardVersion}:`,
        ...data.lines.map(lineText),
        ...data.excess.map((one) => `  ${one.quantity} ${one.meter} above the hold were free`),
        `The outcome was ${data.outcome}${data.rig === null ? '' : ` at the rig ${data.rig}`}.`,
        ...namedFacts(data.evidence),
      ];
    case 'HoldReleased':
      return [`The hold of ${usdOf(data)} ended without a charge: ${data.reason}.`];
    case 'HoldExpired':
      return [`The hold of ${usdOf(data)} expired without a charge.`];
    case 'AccountOpened':
    case 'FundsDeposited':
    case 'DepositReversed':
    case 'ChargeAdjusted':
    case 'StatementClosed':
    case 'BudgetSet':
    case 'BudgetRemoved':
    case 'BudgetThresholdReached':
    case 'SubAccountAdded':
    case 'SubAccountClosed':
    case 'AccountClosed':
    case 'AllotmentSent':
    case 'AllotmentReceived':
      return namedFacts(data);
  }
};

const usdOf = ({ amountMicroUsd }: { readonly amountMicroUsd: string }): string =>
  inUsd(fromDecimal(amountMicroUsd));

const lineText = (line: ChargedLine): string => {
  const { step, model, tier, meter, quantity, unitPriceMicroUsd, perUnits, rig } = line;
  const price = inUsd(fromDecimal(unitPriceMicroUsd));
  const source = [step, model, rig, ...tierTexts(tier)]
    .filter((one) => one !== undefined)
    .join(', ');
  return `  ${quantity} ${meter} at ${price} per ${perUnits}${source && ` (${source})`}`;
};

/** Why the price is not the standard one of the model. */
const tierTexts = ({ service, aboveInputTokens, period, residency }: PriceTier = {}) => [
  ...(service === undefined ? [] : [`service tier ${service}`]),
  ...(aboveInputTokens === undefined ? [] : [`above ${aboveInputTokens} tokens of input`]),
  ...(period === undefined ? [] : [`period ${period}`]),
  ...(residency === undefined ? [] : [`residency ${residency}`]),
];

/** Facts of any shape, a line for each value: `models.asked: quipu/nano`. */
const namedFacts = (facts: object, prefix = ''): readonly string[] =>
  Object.entries(facts).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? namedFacts(value, `${prefix}${name}.`)
      : [`  ${prefix}${name}: ${String(value)}`],
  );

const rejected = (
  { rejection, askedMicroUsd, position, evidence }: Rejected,
  placeOf: PlaceOf,
): Outcome => {
  const { requestId, accountId, rejectedAt, code, message, facts, asked } = rejection;
  return {
    json: {
      request_id: requestId,
      account_id: accountId,
      outcome: 'rejected',
      rejected_at: rejectedAt,
      reason_code: code,
      reason: message,
      facts,
      asked_micro_usd: decimalOf(askedMicroUsd),
      asked,
      position: placeOf(position),
      store_position: position.toString(),
      evidence: evidence && {
        event_id: evidence.eventId,
        position: placeOf(evidence.position),
        store_position: evidence.position.toString(),
        recorded_at: evidence.recordedAt,
        available_micro_usd: toDecimal(evidence.available),
      },
    },
    text: [
      `Request ${requestId} of account ${accountId} was rejected at ${rejectedAt}: ${message}.`,
      ...(asked === null || askedMicroUsd === null
        ? []
        : [
            `It would have held ${inUsd(askedMicroUsd)} for ${asked.purpose}, with the prices of ` +
              `rate card ${asked.rateCardVersion}:`,
            ...asked.lines.map(lineText),
          ]),
      `The code is ${code}. The facts of the decision:`,
      ...namedFacts(facts),
      `The events of the account count up to position ${placeOf(position) ?? NOT_KNOWN}.`,
      ...(evidence === null
        ? []
        : [
            `The account had ${inUsd(evidence.available)} then, as the event ${evidence.eventId} ` +
              `of ${evidence.recordedAt} states.`,
          ]),
    ].join('\n'),
  };
};
