import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { accountEvents } from '#events/billing/account.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { type EventCodec } from '#platform/runtime/event-codec.js';
import { type Projections } from '#platform/runtime/projections.js';
import { CODEC, EVENT_STORE, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  accountOverview,
  type AccountOverview,
} from '#projections/billing/account-overview.projection.js';
import { accountStream } from './accounts.js';
import { type AuditedAccount, LedgerAudit, type LedgerFault } from './ledger-audit.js';

export interface LedgerReport {
  readonly balanced: boolean;
  readonly accounts: number;
  readonly events: number;
  readonly position: bigint;
  readonly deposited: MicroUsd;
  readonly charged: MicroUsd;
  readonly held: MicroUsd;
  readonly available: MicroUsd;
  readonly faults: readonly LedgerFault[];
}

/** Proves conservation from the log, and that the read model says the same. */
export class CheckLedgerQuery extends Query<LedgerReport> {
  constructor(
    /** Called now and then with the position reached and the log's head. */
    readonly onProgress: (position: bigint, head: bigint) => void,
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
  ) {}

  async execute({ onProgress }: CheckLedgerQuery): Promise<LedgerReport> {
    const head = await this.eventStore.head();
    const audit = new LedgerAudit();
    const filter = { by: 'stream', prefixes: [accountStream('')] } as const;
    const codec = this.codec.for(accountEvents);
    let position = 0n;
    for await (const page of this.eventStore.readAll({ filter })) {
      for (const recorded of page) {
        if (recorded.position > head) break;
        audit.take(codec.revive(recorded), recorded.position);
        ({ position } = recorded);
      }
      onProgress(position, head);
    }
    const disagreements = await this.#compareWithReadModel(audit, head);
    return report(audit, [...audit.faults, ...disagreements], head);
  }

  /** A read model that has moved on past `head` meanwhile is not held against the ledger. */
  async #compareWithReadModel(audit: LedgerAudit, head: bigint): Promise<readonly LedgerFault[]> {
    const faults: LedgerFault[] = [];
    for (const [accountId, account] of audit.accounts) {
      const found = await this.projections.get(accountOverview, accountId);
      if (found.position > head || agrees(account, found.document)) continue;
      const law = 'the read model equals the fold of the log';
      faults.push({ accountId, position: found.position.toString(), law });
    }
    return faults;
  }
}

const agrees = (account: AuditedAccount, document: AccountOverview | undefined): boolean =>
  document !== undefined &&
  fromDecimal(document.available) === account.stated &&
  fromDecimal(document.deposited) === account.deposited &&
  Object.values(document.charged).reduce((sum, amount) => sum + fromDecimal(amount), 0n) ===
    account.charged &&
  fromDecimal(document.held) === account.held &&
  document.openHolds === account.holds.size;

const report = (
  { accounts, events }: LedgerAudit,
  faults: readonly LedgerFault[],
  position: bigint,
): LedgerReport => {
  const all = [...accounts.values()];
  const sum = (of: (account: AuditedAccount) => MicroUsd): MicroUsd =>
    all.reduce((total, account) => total + of(account), 0n);
  return {
    balanced: faults.length === 0,
    accounts: accounts.size,
    events,
    position,
    deposited: sum((account) => account.deposited),
    charged: sum((account) => account.charged),
    held: sum((account) => account.held),
    available: sum((account) => account.stated),
    faults,
  };
};
