import {
  type ExplainedEvent,
  type Explanation,
  ExplainRequestQuery,
} from '#areas/billing/explanations/explain-request.handler.js';
import { AccountOfUserQuery } from '#areas/identity/accounts/account-of-user.handler.js';
import { inUsd, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { ofUser } from '../user-option.js';

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
  const explanation = await withQuipu(invocation, needs, async ({ queries }) => {
    const owner = user === undefined ? null : queries.execute(new AccountOfUserQuery(user));
    const accountId = owner && (await ofUser('--user', user ?? '', owner));
    return queries.execute(new ExplainRequestQuery(requestId, accountId));
  });
  return explanation.kind === 'rejected' ? rejected(explanation) : admitted(explanation);
};

type Admitted = Extract<Explanation, { readonly kind: 'admitted' }>;
type Rejected = Extract<Explanation, { readonly kind: 'rejected' }>;

const decimalOf = (amount: MicroUsd | null): string | null =>
  amount === null ? null : toDecimal(amount);

const admitted = ({ accountId, requestId, status, events, complete }: Admitted): Outcome => ({
  json: {
    request_id: requestId,
    account_id: accountId,
    outcome: status,
    events: events.map((one) => ({
      type: one.event.type,
      event_id: one.eventId,
      position: one.position.toString(),
      revision: one.revision.toString(),
      recorded_at: one.recordedAt,
      available_before_micro_usd: decimalOf(one.availableBefore),
      available_after_micro_usd: decimalOf(one.availableAfter),
      facts: one.event.data,
    })),
    complete,
  },
  text: [
    `Request ${requestId} of account ${accountId} was admitted; its hold is ${status}.`,
    ...events.flatMap(eventText),
    ...(complete ? [] : ['Later events of the request were not looked for.']),
  ].join('\n'),
});

const eventText = ({
  event: { type, data },
  position,
  recordedAt,
  availableBefore,
  availableAfter,
}: ExplainedEvent): readonly string[] => [
  `  ${recordedAt}  ${type} at position ${position}`,
  ...(availableBefore === null || availableAfter === null
    ? []
    : [`    available    ${inUsd(availableBefore)} before, ${inUsd(availableAfter)} after`]),
  ...Object.entries(data)
    .filter(([name]) => !HEADED.includes(name))
    .flatMap(([name, value]) => factText(name, value)),
];

/** Said elsewhere in the text. */
const HEADED: readonly string[] = ['accountId', 'holdId', 'availableMicroUsd'];

const factText = (name: string, value: unknown): readonly string[] =>
  name === 'lines' && Array.isArray(value)
    ? value.map((line: unknown) => `    line         ${JSON.stringify(line)}`)
    : [`    ${name.padEnd(12)} ${typeof value === 'string' ? value : JSON.stringify(value)}`];

const rejected = ({ rejection, askedMicroUsd, evidence }: Rejected): Outcome => {
  const { requestId, accountId, rejectedAt, code, message, facts, asked, position } = rejection;
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
      position,
      evidence: evidence && {
        event_id: evidence.eventId,
        position: evidence.position.toString(),
        recorded_at: evidence.recordedAt,
        available_micro_usd: toDecimal(evidence.available),
      },
    },
    text: [
      `Request ${requestId} of account ${accountId} was rejected at ${rejectedAt}: ${message}.`,
      ...(askedMicroUsd === null ? [] : [`  it asked for ${inUsd(askedMicroUsd)}`]),
      ...Object.entries({ ...facts, code }).flatMap(([name, value]) => factText(name, value)),
      `  as of log position ${position}`,
      ...(evidence === null
        ? []
        : [
            `  event ${evidence.eventId} at position ${evidence.position} states ` +
              `${inUsd(evidence.available)} available at ${evidence.recordedAt}`,
          ]),
    ].join('\n'),
  };
};
