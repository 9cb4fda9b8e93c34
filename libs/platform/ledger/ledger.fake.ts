import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import {
  type Capture,
  type HoldEnd,
  type HoldOrder,
  type LedgerEntry,
  type LeftHold,
  type PlacedHold,
  type PreviewedHold,
  type Release,
  type Renewal,
} from './hold.js';
import { Ledger } from './ledger.port.js';
import { priceOf } from './price.js';

/** The available balance after each call. */
const AVAILABLE = 958n;

type Method = 'demandFunds' | 'preview' | 'place' | 'renew' | 'capture' | 'release' | 'settle';

/** Records its calls, and knows which holds are open: each ends once. */
export class FakeLedger extends Ledger {
  /** Such as `place`, `capture completed`, `release client_gone`, in order. */
  readonly calls: string[] = [];
  readonly orders: HoldOrder[] = [];
  readonly renewals: Renewal[] = [];
  readonly captures: Capture[] = [];
  readonly settled: { readonly left: LeftHold; readonly context: CommandContext }[] = [];
  /** A method that rejects, and its error. */
  readonly failures: Partial<Record<Method, Error>> = {};
  /** Units by meter that a hold covers, where that is less than was ordered. */
  covers: Readonly<Record<string, number>> = {};
  /** The end that `settle` finds of a hold that is not open. */
  found: HoldEnd = 'free';
  readonly #open = new Map<string, PlacedHold>();

  get placed(): HoldOrder {
    return only(this.orders);
  }

  get captured(): Capture {
    return only(this.captures);
  }

  /** The calls that end a hold. */
  get ends(): readonly string[] {
    return this.calls.filter((call) => /^(capture|release) /.test(call));
  }

  /** All open holds reach their deadline. */
  expire(): void {
    this.#open.clear();
  }

  override demandFunds(): void {
    this.calls.push('demandFunds');
    const { demandFunds: failure } = this.failures;
    if (failure) throw failure;
  }

  override async place(order: HoldOrder): Promise<PlacedHold> {
    await this.#call('place', 'place');
    this.orders.push(order);
    const lines = order.lines.map((line) => ({
      ...line,
      quantity: Math.min(line.quantity, this.covers[line.meter] ?? line.quantity),
    }));
    return this.#keep(order, lines);
  }

  override async preview(order: HoldOrder): Promise<PreviewedHold> {
    await this.#call('preview', 'preview');
    const { lines } = order;
    return { lines, amountMicroUsd: priceOf(lines), availableMicroUsd: AVAILABLE };
  }

  override async renew(renewal: Renewal): Promise<PlacedHold> {
    await this.#call('renew', 'renew');
    const { lines } = this.#held(renewal.holdId);
    this.renewals.push(renewal);
    return this.#keep(renewal, [...lines, ...renewal.lines]);
  }

  override async capture(capture: Capture): Promise<LedgerEntry> {
    await this.#call('capture', `capture ${capture.outcome}`);
    this.#end(capture.holdId);
    this.captures.push(capture);
    const chargedMicroUsd = priceOf(capture.lines);
    return { eventId: 'e', chargedMicroUsd, availableMicroUsd: AVAILABLE };
  }

  override async release({ holdId, reason }: Release): Promise<void> {
    await this.#call('release', `release ${reason}`);
    this.#end(holdId);
  }

  override async settle(left: LeftHold, context: CommandContext): Promise<HoldEnd> {
    await this.#call('settle', 'settle');
    this.settled.push({ left, context });
    return this.#open.delete(left.holdId) ? 'free' : this.found;
  }

  async #call(method: Method, call: string): Promise<void> {
    this.calls.push(call);
    await Promise.resolve();
    const failure = this.failures[method];
    if (failure) throw failure;
  }

  #keep(
    { holdId, expiresAt }: Pick<HoldOrder, 'holdId' | 'expiresAt'>,
    lines: PlacedHold['lines'],
  ): PlacedHold {
    const hold = { lines, expiresAt, amountMicroUsd: priceOf(lines), availableMicroUsd: AVAILABLE };
    this.#open.set(holdId, hold);
    return hold;
  }

  #held(holdId: string): PlacedHold {
    const hold = this.#open.get(holdId);
    if (!hold) throw new DomainError('hold_not_open', `hold ${holdId} is not open`);
    return hold;
  }

  #end(holdId: string): void {
    this.#held(holdId);
    this.#open.delete(holdId);
  }
}

const only = <Call>(calls: readonly Call[]): Call => {
  const [call, ...more] = calls;
  if (call === undefined || more.length > 0) throw new Error(`${calls.length} calls, not one`);
  return call;
};
