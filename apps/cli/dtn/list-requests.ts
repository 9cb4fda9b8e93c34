import { RemoteRequestsQuery } from '#areas/dtn/dtn.queries.js';
import { remoteRequests } from '#projections/dtn/remote-requests.projection.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { accountOf } from '../user-option.js';
import { DTN_NEEDS, type ListOfAccountOptions, LIST_LIMIT } from './dtn.needs.js';

const NEEDS = { ...DTN_NEEDS, projections: [remoteRequests] };
const HEADER = ['ID', 'STATUS', 'NODE', 'PROMPT', 'COMPLETION', 'PLACED', 'EXPIRES'];

export const listRequests = async (
  { user, page }: ListOfAccountOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const found = await withQuipu(invocation, NEEDS, async (quipu) => {
    const accountId = await accountOf(quipu, user);
    return quipu.queries.execute(new RemoteRequestsQuery(accountId, page, LIST_LIMIT));
  });
  const rows = found.requests.map(({ requestId, status, node, used, placedAt, expiresAt }) => {
    const tokens = [used?.promptTokens, used?.completionTokens];
    return [
      requestId,
      status,
      node,
      ...tokens.map((one) => String(one ?? '-')),
      placedAt,
      expiresAt,
    ];
  });
  return {
    json: {
      requests: found.requests.map((request) => ({
        request_id: request.requestId,
        bundle_id: request.bundleId,
        node: request.node,
        status: request.status,
        prompt_tokens: request.used?.promptTokens ?? null,
        completion_tokens: request.used?.completionTokens ?? null,
        late_receipt: request.hasLateReceipt,
        placed_at: request.placedAt,
        expires_at: request.expiresAt,
        settled_at: request.settledAt,
      })),
      page,
      total_records: found.total,
    },
    text: rows.length === 0 ? 'There are no requests here.' : inColumns([HEADER, ...rows]),
  };
};
