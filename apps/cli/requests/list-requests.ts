import { requestFields } from '#areas/requests/request-fields.js';
import { RequestsQuery } from '#areas/requests/list-requests.handler.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { guardedRequests } from '#projections/requests/guarded-requests.projection.js';
import { type RequestStatus, requests } from '#projections/requests/requests.projection.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { accountOf } from '../user-option.js';

export interface ListRequestsOptions extends CommonOptions {
  readonly user: string;
  readonly from?: string;
  readonly to?: string;
  readonly key?: string;
  readonly model?: string;
  readonly rig?: string;
  readonly endUser?: string;
  readonly tag?: string;
  readonly status?: RequestStatus;
  readonly after?: string;
  readonly limit: number;
}

const NEEDS = {
  areas: ['identity', 'requests'],
  installation: 'exists',
  projections: [apiKeys, requests, guardedRequests],
} as const;

const HEADER = ['ENDED', 'ID', 'STATUS', 'PRODUCT', 'MODEL', 'KEY', 'USD', 'MS'];

export const listRequests = async (
  { user, from, to, endUser, after, limit, ...options }: ListRequestsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { key, model, rig, tag, status } = options;
  const filter = {
    ...(key !== undefined && { key }),
    ...(model !== undefined && { model }),
    ...(rig !== undefined && { rig }),
    ...(endUser !== undefined && { user: endUser }),
    ...(tag !== undefined && { tag }),
    ...(status !== undefined && { status }),
  };
  const bounds = {
    ...(from !== undefined && { from: instantOf('--from', from) }),
    ...(to !== undefined && { to: instantOf('--to', to) }),
  };
  const page = await withQuipu(invocation, NEEDS, async (context) => {
    const accountId = await accountOf(context, user);
    const order = { accountId, ...bounds, filter, limit, after: after ?? null };
    const found = await context.queries.execute(new RequestsQuery(order));
    return { ...found, place: await context.placeAt(found.position) };
  });
  const rows = page.requests.map(requestFields);
  return {
    json: { requests: rows, next_after: page.nextAfter, position: page.place },
    text: listText({
      noun: 'requests',
      header: HEADER,
      rows: rows.map((row) => [
        row.ended_at,
        row.id,
        row.status,
        row.product,
        row.model ?? '-',
        row.key_name ?? row.key_id ?? '-',
        row.cost_usd,
        String(row.total_ms),
      ]),
      nextAfter: page.nextAfter,
    }),
  };
};

/** @throws CommandFailure */
const instantOf = (option: string, text: string): string => {
  const time = Date.parse(text);
  if (Number.isFinite(time)) return new Date(time).toISOString();
  const message = `${option}: expected an instant such as 2026-11-21T04:48Z`;
  throw new CommandFailure('bad_instant', message, EXIT.usage);
};
