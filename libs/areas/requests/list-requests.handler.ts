import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { restAfter } from '#platform/read-store/document-pages.js';
import { type ListOptions, type StoredDocument } from '#platform/read-store/read-store.port.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type DocumentReader } from '#platform/runtime/projections/document-reader.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  guardedKey,
  guardedPrefix,
  guardedRequests,
  type GuardedSide,
} from '#projections/requests/guarded-requests.projection.js';
import {
  hasValue,
  INDEXED_FIELDS,
  placeOf,
  recordsPrefix,
  referencesPrefix,
  REQUEST_FIELDS,
  type RequestField,
  type RequestRecord,
  type RequestReference,
  requests,
} from '#projections/requests/requests.projection.js';
import { KeyNames } from './key-names.port.js';
import { type RequestsErrorCode } from './requests.errors.js';

/** Requests that one page looks at. With several filters it may find fewer than its limit. */
export const LOOKED_AT_MAX = 1_000;

export interface RequestsOrder {
  readonly accountId: string;
  /** ISO 8601 UTC: ends from here on, and before. */
  readonly from?: string;
  readonly to?: string;
  /** A request has all of them. */
  readonly filter: Readonly<Partial<Record<RequestField, string>>>;
  readonly limit: number;
  /** The `nextAfter` of the page before. */
  readonly after: string | null;
}

/** A request as it is shown. */
export interface NamedRequest extends RequestRecord {
  /** Null where it has none or the key is revoked. */
  readonly keyName: string | null;
  /** Of the rules of the operator. */
  readonly hits: readonly GuardedSide[];
}

export interface RequestsPage {
  /** Newest first. */
  readonly requests: readonly NamedRequest[];
  /** Null on the last page. */
  readonly nextAfter: string | null;
  readonly position: bigint;
}

/** A page of the requests of an account whose holds have ended. */
export class RequestsQuery extends Query<RequestsPage> {
  constructor(
    readonly order: RequestsOrder,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

const SEPARATOR = placeOf('', '');

/** As cursors have it: without a control character. */
const cursorOf = ({ endedAt, id }: RequestRecord): string => `${endedAt}_${id}`;

const placeIn = (cursor: string): string => cursor.replace('_', SEPARATOR);

type Stored = StoredDocument<RequestRecord | RequestReference>;

/** An index has a prefix for each value; the list itself has all records. */
const indexOf = ({ accountId, filter }: RequestsOrder): string => {
  const isIndexed = (field: RequestField): boolean =>
    filter[field] !== undefined && filter[field] !== 'charged';
  const field = INDEXED_FIELDS.find(isIndexed);
  const value = field && filter[field];
  return field && value !== undefined
    ? referencesPrefix(accountId, field, value)
    : recordsPrefix(accountId);
};

const rangeOf = (order: RequestsOrder, prefix: string): ListOptions => {
  const { from, to, after, limit } = order;
  const before = after === null ? to : placeIn(after);
  return {
    prefix,
    direction: 'backwards',
    limit,
    ...(from !== undefined && { from: `${prefix}${from}` }),
    ...(before !== undefined && { before: `${prefix}${before}` }),
  };
};

const isOf =
  ({ filter }: RequestsOrder) =>
  (record: RequestRecord): boolean =>
    REQUEST_FIELDS.every((field) => {
      const value = filter[field];
      return value === undefined || hasValue(record, field, value);
    });

const hitsOf = async (
  reader: DocumentReader,
  accountId: string,
  { id }: RequestRecord,
): Promise<readonly GuardedSide[]> => {
  const { document } = await reader.get(guardedRequests, guardedKey(accountId, id));
  return document?.hits ?? [];
};

@QueryHandler(RequestsQuery)
export class RequestsHandler implements IQueryHandler<RequestsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>,
    private readonly names: KeyNames,
  ) {}

  async execute({ order, asOf }: RequestsQuery): Promise<RequestsPage> {
    const reader = await this.projections.at(asOf);
    const prefix = indexOf(order);
    const found: RequestRecord[] = [];
    let range = rangeOf(order, prefix);
    let lookedAt = 0;
    for (;;) {
      const { documents, position } = await reader.list(requests, range);
      const records = await this.#records(reader, order.accountId, prefix, documents);
      const matching = records.filter(isOf(order));
      const taken = matching.slice(0, order.limit - found.length);
      found.push(...taken);
      lookedAt += documents.length;
      const last = documents.at(-1);
      const isEnd = documents.length < order.limit && taken.length === matching.length;
      const isFull = found.length === order.limit;
      if (isEnd || isFull || lookedAt >= LOOKED_AT_MAX || !last) {
        const next = isFull ? found.at(-1) : records.at(-1);
        const nextAfter = isEnd || !next ? null : cursorOf(next);
        return { requests: await this.#shown(reader, order.accountId, found), nextAfter, position };
      }
      range = restAfter(last.key, range);
    }
  }

  async #shown(
    reader: DocumentReader,
    accountId: string,
    records: readonly RequestRecord[],
  ): Promise<readonly NamedRequest[]> {
    const isKeyed = records.some(({ key }) => key !== null);
    const names = isKeyed ? await this.names.of(accountId) : new Map<string, string>();
    const anyHit = { prefix: guardedPrefix(accountId), limit: 1 };
    const isGuarded = (await reader.list(guardedRequests, anyHit)).documents.length > 0;
    return Promise.all(
      records.map(async (record) => ({
        ...record,
        keyName: names.get(record.key ?? '') ?? null,
        hits: isGuarded ? await hitsOf(reader, accountId, record) : [],
      })),
    );
  }

  async #records(
    reader: DocumentReader,
    accountId: string,
    prefix: string,
    documents: readonly Stored[],
  ): Promise<readonly RequestRecord[]> {
    const found = await Promise.all(
      documents.map(async ({ key, document }) => {
        if (document.kind === 'record') return document;
        const place = key.slice(prefix.length);
        return (await reader.get(requests, `${recordsPrefix(accountId)}${place}`)).document;
      }),
    );
    return found.filter((one): one is RequestRecord => one?.kind === 'record');
  }
}

export interface FoundRequest {
  readonly request: NamedRequest;
  readonly position: bigint;
}

/** One request of an account: its last end, where work was held again under the same id. */
export class RequestQuery extends Query<FoundRequest> {
  constructor(
    readonly accountId: string,
    readonly id: string,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(RequestQuery)
export class RequestHandler implements IQueryHandler<RequestQuery> {
  constructor(private readonly list: RequestsHandler) {}

  /** @throws DomainError `ended_request_not_found` */
  async execute({ accountId, id, asOf }: RequestQuery): Promise<FoundRequest> {
    const order = { accountId, filter: { id }, limit: 1, after: null };
    const { requests: found, position } = await this.list.execute(new RequestsQuery(order, asOf));
    const [request] = found;
    if (request) return { request, position };
    throw new DomainError<RequestsErrorCode>(
      'ended_request_not_found',
      `id: the account has no request ${id} that had a hold and has ended`,
    );
  }
}
