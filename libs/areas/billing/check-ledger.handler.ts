import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { UnreadableEventError } from '#events/definition.js';
import { monthOf } from '#events/billing/statement-month.js';
import { accountEvents } from '#events/billing/account.events.js';
import { CutStreamError, DamagedEventError } from '#platform/event-store/event-store.errors.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import {
  type ChainReport,
  type DamagedEvent,
  type LogChain,
} from '#platform/event-store/log-chain.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  ProjectionLaggingError,
  type Projections,
} from '#platform/runtime/projections/projections.js';
import { projectionPages } from '#platform/runtime/projections/all-documents.js';
import { CODEC, EVENT_STORE, LOG_CHAIN, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  accountOverview,
  type AccountOverview,
} from '#projections/billing/account-overview.projection.js';
import {
  ofSpendKey,
  spend,
  SPEND_LEVELS,
  spendPrefix,
} from '#projections/requests/spend.projection.js';
import { accountOf, accountStream } from './accounts.js';
import { type BillingErrorCode } from './billing.errors.js';
import { OPEN_HOLDS_MAX } from './open-holds.handler.js';
import { type AuditedAccount, LedgerAudit, type LedgerFault } from './ledger-audit.js';

/** A hold that no event has ended. */
export interface CheckedHold {
  readonly accountId: string;
  readonly holdId: string;
  readonly purpose: string;
  readonly amount: MicroUsd;
  readonly placedAt: string;
  readonly expiresAt: string;
}

export interface LedgerReport {
  /** No law is broken, no event is damaged, and the read model says the same. */
  readonly balanced: boolean;
  readonly accounts: number;
  readonly events: number;
  readonly position: bigint;
  readonly deposited: MicroUsd;
  readonly charged: MicroUsd;
  readonly held: MicroUsd;
  readonly adjusted: MicroUsd;
  readonly available: MicroUsd;
  /** Allotments that have left an account and have not arrived in the other one yet. */
  readonly inTransit: MicroUsd;
  /** The oldest ones. */
  readonly openHolds: readonly CheckedHold[];
  readonly faults: readonly LedgerFault[];
  /** Events of the whole log, in order. An account with one is not audited from there on. */
  readonly damaged: readonly DamagedEvent[];
  /** Null where no chain is kept. */
  readonly chain: Pick<ChainReport, 'events' | 'hash'> | null;
  /** Why the read model could not be compared, or null. */
  readonly readModelFailure: string | null;
}

/**
 * Proves conservation from the log, that the log is as it was appended, and that the read model
 * says the same.
 */
export class CheckLedgerQuery extends Query<LedgerReport> {
  constructor(
    /** Called now and then with the position reached and the log's head. */
    readonly onProgress: (position: bigint, head: bigint) => void,
    /** Default: any number of events. */
    readonly eventsMax = Number.POSITIVE_INFINITY,
  ) {
    super();
  }
}

@QueryHandler(CheckLedgerQuery)
export class CheckLedgerHandler implements IQueryHandler<CheckLedgerQuery> {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CODEC) private readonly codec: EventCodec,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(LOG_CHAIN) private readonly chain: LogChain | null,
  ) {}

  /**
   * The chain is checked while the accounts are folded.
   * @throws DomainError `ledger_too_large` for more events of accounts than asked for
   */
  async execute({ onProgress, eventsMax }: CheckLedgerQuery): Promise<LedgerReport> {
    const head = await this.eventStore.head();
    const stop = new AbortController();
    const checking = this.chain?.check({ upTo: head, signal: stop.signal });
    const folding = this.#fold(head, onProgress, eventsMax);
    try {
      const [chain, { audit, damaged: unreadable, firsts }] = await Promise.all([
        checking,
        folding,
      ]);
      const damaged = [...unreadable, ...(await this.#cutStreams(firsts))];
      const readModel = await this.#compareWithReadModel(audit, head);
      return report(audit, readModel, chain, damaged, head);
    } finally {
      stop.abort();
      await Promise.allSettled([checking, folding]);
    }
  }

  async #fold(
    head: bigint,
    onProgress: CheckLedgerQuery['onProgress'],
    eventsMax: number,
  ): Promise<Folded> {
    const audit = new LedgerAudit();
    const damaged: DamagedEvent[] = [];
    const onDamaged = (one: DamagedEvent): void => {
      damaged.push(one);
      if (one.stream !== null) audit.giveUp(accountOf(one.stream));
    };
    const filter = { by: 'stream', prefixes: [accountStream('')] } as const;
    const codec = this.codec.for(accountEvents);
    const firsts = new Map<string, bigint>();
    let position = 0n;
    for await (const page of this.eventStore.readAll({ filter, onDamaged })) {
      for (const recorded of page) {
        if (recorded.position > head) break;
        ({ position } = recorded);
        if (!firsts.has(recorded.stream)) firsts.set(recorded.stream, position);
        try {
          audit.take(codec.revive(recorded), position);
        } catch (error) {
          if (!(error instanceof UnreadableEventError)) throw error;
          const { stream } = recorded;
          onDamaged({ position, stream, reason: `it cannot be read: ${error.reason}` });
        }
      }
      if (audit.events > eventsMax) throw tooLarge(eventsMax);
      onProgress(position, head);
    }
    return { audit, damaged, firsts };
  }

  /** The whole log still has the events that a server hides in their stream. */
  async #cutStreams(firsts: ReadonlyMap<string, bigint>): Promise<readonly DamagedEvent[]> {
    const damaged: DamagedEvent[] = [];
    const left = firsts.entries();
    const checkNext = async (): Promise<void> => {
      for (const [stream, position] of left) {
        const reason = await this.#cutOf(stream);
        if (reason !== null) damaged.push({ position, stream, reason });
      }
    };
    await Promise.all(Array.from({ length: STREAMS_AT_ONCE }, checkNext));
    return damaged;
  }

  async #cutOf(stream: string): Promise<string | null> {
    try {
      const pages = await Array.fromAsync(this.eventStore.read(stream, { maxCount: 1 }));
      return pages.length > 0 ? null : new CutStreamError(stream, 0n, null).message;
    } catch (error) {
      if (error instanceof CutStreamError) return error.message;
      if (error instanceof DamagedEventError) return null;
      throw error;
    }
  }

  /** A read model that has moved on past `head` meanwhile is not held against the ledger. */
  async #compareWithReadModel(audit: LedgerAudit, head: bigint): Promise<Compared> {
    const faults: LedgerFault[] = [];
    for (const [accountId, account] of audit.accounts) {
      if (audit.isGivenUp(accountId)) continue;
      try {
        const found = await this.projections.get(accountOverview, accountId);
        const position = found.position.toString();
        if (found.position <= head && !agrees(account, found.document)) {
          faults.push({ accountId, position, law: 'the read model equals the fold of the log' });
        }
        for (const law of await this.#spendLaws(accountId, account, head)) {
          faults.push({ accountId, position, law });
        }
      } catch (error) {
        const isForeign = error instanceof ReadStoreError && error.code === 'foreign-log';
        if (!isForeign && !(error instanceof ProjectionLaggingError)) throw error;
        return { faults, failure: error.message };
      }
    }
    return { faults, failure: null };
  }

  /** @returns the laws that the spend breaks, by month; none where it has moved on meanwhile */
  async #spendLaws(
    accountId: string,
    { spent }: AuditedAccount,
    head: bigint,
  ): Promise<readonly string[]> {
    const broken: string[] = [];
    for (const level of SPEND_LEVELS) {
      const sums = new Map<string, MicroUsd>();
      const range = { prefix: spendPrefix(level, accountId) };
      for await (const { documents, position } of projectionPages(this.projections, spend, range)) {
        if (position > head) return [];
        for (const { key, document } of documents) {
          const month = monthOf(ofSpendKey(key).at);
          const amounts = document.cells.map(({ amount }) => fromDecimal(amount));
          sums.set(
            month,
            amounts.reduce((sum, amount) => sum + amount, sums.get(month) ?? 0n),
          );
        }
      }
      for (const month of new Set([...spent.keys(), ...sums.keys()])) {
        if ((spent.get(month) ?? 0n) === (sums.get(month) ?? 0n)) continue;
        broken.push(`the spend of ${month} (${level}) is the sum of its statement`);
      }
    }
    return broken;
  }
}

const tooLarge = (eventsMax: number): DomainError =>
  new DomainError<BillingErrorCode>(
    'ledger_too_large',
    `the accounts have over ${eventsMax} events: run quipu ledger check`,
  );

interface Folded {
  readonly audit: LedgerAudit;
  readonly damaged: readonly DamagedEvent[];
  /** The position of the first event of each stream. */
  readonly firsts: ReadonlyMap<string, bigint>;
}

/** Of which the first event is asked for at the same time. */
const STREAMS_AT_ONCE = 16;

interface Compared {
  readonly faults: readonly LedgerFault[];
  readonly failure: string | null;
}

const agrees = (account: AuditedAccount, document: AccountOverview | undefined): boolean =>
  document !== undefined &&
  fromDecimal(document.available) === account.stated &&
  fromDecimal(document.deposited) === account.deposited &&
  Object.values(document.charged).reduce((sum, amount) => sum + fromDecimal(amount), 0n) ===
    account.charged &&
  fromDecimal(document.held) === account.held &&
  fromDecimal(document.adjusted) === account.adjusted &&
  document.openHolds === account.holds.size;

const report = (
  { accounts, events, faults: broken, inTransit }: LedgerAudit,
  { faults: disagreements, failure: readModelFailure }: Compared,
  chain: ChainReport | undefined,
  unreadable: readonly DamagedEvent[],
  position: bigint,
): LedgerReport => {
  const all = [...accounts.values()];
  const sum = (of: (account: AuditedAccount) => MicroUsd): MicroUsd =>
    all.reduce((total, account) => total + of(account), 0n);
  const faults = [...broken, ...disagreements];
  const damaged = inOrder([...(chain?.damaged ?? []), ...unreadable]);
  return {
    balanced: faults.length + damaged.length === 0 && readModelFailure === null,
    accounts: accounts.size,
    events,
    position,
    // An allotment is in no account while it moves.
    deposited: sum((account) => account.deposited) + inTransit,
    charged: sum((account) => account.charged),
    held: sum((account) => account.held),
    adjusted: sum((account) => account.adjusted),
    available: sum((account) => account.stated),
    inTransit,
    openHolds: openHoldsOf(accounts),
    faults,
    damaged,
    chain: chain ? { events: chain.events, hash: chain.hash } : null,
    readModelFailure,
  };
};

const openHoldsOf = (accounts: LedgerAudit['accounts']): readonly CheckedHold[] =>
  [...accounts]
    .flatMap(([accountId, { holds }]) =>
      [...holds].map(([holdId, { amount, placed, expiresAt }]) => {
        const { purpose, placedAt } = placed;
        return { accountId, holdId, purpose, amount, placedAt, expiresAt };
      }),
    )
    .sort((one, other) => (one.placedAt < other.placedAt ? -1 : 1))
    .slice(0, OPEN_HOLDS_MAX);

/** Each position once: the chain and the fold may both have met it. */
const inOrder = (damaged: readonly DamagedEvent[]): readonly DamagedEvent[] => {
  const byPosition = new Map(damaged.map((one) => [one.position, one]));
  return [...byPosition.values()].sort((one, other) => (one.position < other.position ? -1 : 1));
};
