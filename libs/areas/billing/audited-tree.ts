import { type AccountEvent, type AccountOpened } from '#events/billing/account.events.js';
import {
  type AllotmentReceived,
  type AllotmentSent,
  type AccountClosed,
  type SubAccountAdded,
  type SubAccountClosed,
} from '#events/billing/allotment.events.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';

/** The totals that one account has sent to another one, and that have arrived there. */
interface AuditedTransfer {
  sent: MicroUsd;
  received: MicroUsd;
}

const TOTALLED = 'the total of an allotment is the sum of all before it';

const pairOf = (one: string, other: string): string => `${one} ${other}`;

/** The tree of accounts, as their events tell it in the order of the log. */
export class AuditedTree {
  /** By the account above and the sub-account. */
  readonly #children = new Set<string>();
  /** The sub-accounts that an account does not know to be closed. */
  readonly #openChildren = new Map<string, Set<string>>();
  readonly #closed = new Set<string>();
  /** By sender and receiver. */
  readonly #transfers = new Map<string, AuditedTransfer>();

  /** The money that has left an account and has not arrived in the other one yet. */
  get inTransit(): MicroUsd {
    return [...this.#transfers.values()].reduce((sum, one) => sum + one.sent - one.received, 0n);
  }

  /** @param unread accounts whose events are not known: they may have sent what arrives */
  lawsBrokenBy({ type, data }: AccountEvent, unread: ReadonlySet<string>): readonly string[] {
    if (type === 'SubAccountAdded') return this.#add(data);
    if (type === 'AccountOpened') return this.#open(data, unread);
    if (type === 'AllotmentSent') return this.#send(data);
    if (type === 'AccountClosed') return this.#close(data);
    if (type === 'SubAccountClosed') return this.#closeChild(data, unread);
    return type === 'AllotmentReceived' ? this.#receive(data, unread) : [];
  }

  #has(parentId: string, childId: string): boolean {
    return this.#children.has(pairOf(parentId, childId));
  }

  #add({ accountId, childId }: SubAccountAdded['data']): readonly string[] {
    const isKnown = this.#has(accountId, childId);
    this.#children.add(pairOf(accountId, childId));
    const open = this.#openChildren.get(accountId) ?? new Set();
    this.#openChildren.set(accountId, open.add(childId));
    return isKnown ? ['a sub-account is added once'] : [];
  }

  #open(
    { accountId, tree }: AccountOpened['data'],
    unread: ReadonlySet<string>,
  ): readonly string[] {
    if (!tree || unread.has(tree.parentId) || this.#has(tree.parentId, accountId)) return [];
    return ['a sub-account is opened below the account that has added it'];
  }

  #close({ accountId }: AccountClosed['data']): readonly string[] {
    this.#closed.add(accountId);
    const open = this.#openChildren.get(accountId)?.size ?? 0;
    return open === 0 ? [] : ['an account is closed after its sub-accounts'];
  }

  #closeChild(
    { accountId, childId }: SubAccountClosed['data'],
    unread: ReadonlySet<string>,
  ): readonly string[] {
    const wasOpen = this.#openChildren.get(accountId)?.delete(childId) ?? false;
    const isClosed = this.#closed.has(childId) || unread.has(childId);
    return wasOpen && isClosed ? [] : ['a sub-account counts as closed once it is closed'];
  }

  #send({ accountId, toId, ...data }: AllotmentSent['data']): readonly string[] {
    const transfer = this.#transfer(accountId, toId);
    transfer.sent += fromDecimal(data.amountMicroUsd);
    const isRelated = this.#has(accountId, toId) || this.#has(toId, accountId);
    return [
      ...(isRelated ? [] : ['an allotment is between an account and its sub-account']),
      ...(transfer.sent === fromDecimal(data.totalMicroUsd) ? [] : [TOTALLED]),
    ];
  }

  #receive(
    { accountId, fromId, ...data }: AllotmentReceived['data'],
    unread: ReadonlySet<string>,
  ): readonly string[] {
    const transfer = this.#transfer(fromId, accountId);
    transfer.received += fromDecimal(data.amountMicroUsd);
    if (unread.has(fromId)) transfer.sent = transfer.received;
    return [
      ...(transfer.received <= transfer.sent ? [] : ['no more arrives than was sent']),
      ...(transfer.received === fromDecimal(data.totalMicroUsd) ? [] : [TOTALLED]),
    ];
  }

  #transfer(fromId: string, toId: string): AuditedTransfer {
    const pair = pairOf(fromId, toId);
    const known = this.#transfers.get(pair) ?? { sent: 0n, received: 0n };
    this.#transfers.set(pair, known);
    return known;
  }
}
