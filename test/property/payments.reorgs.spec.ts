import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { type CryptoInvoiceEvent } from '#events/payments/crypto-invoice.events.js';
import { type SeenPayment } from '#areas/payments/chains/chain-watcher.port.js';
import { SimulatedChain } from '#areas/payments/chains/simulated/simulated-chain.js';
import { SimulatedWatcher } from '#areas/payments/chains/simulated/simulated-watcher.js';
import { cryptoInvoiceDecider } from '#areas/payments/invoices/crypto-invoice.decider.js';
import { created, terms } from '#areas/payments/invoices/crypto-invoice.fixture.js';
import {
  confirmedUnits,
  creditedOf,
  type CryptoInvoiceState,
  statusOf,
} from '#areas/payments/invoices/crypto-invoice.state.js';

/** A change of the chain, and the state of it that is looked at: 0 is the present one. */
type Step =
  | { readonly kind: 'pay'; readonly units: number }
  | { readonly kind: 'mine'; readonly blocks: number }
  | { readonly kind: 'rewind'; readonly blocks: number }
  | { readonly kind: 'drop' }
  | { readonly kind: 'look'; readonly ago: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('pay' as const), units: fc.integer({ min: 1, max: 150_000 }) }),
  fc.record({ kind: fc.constant('mine' as const), blocks: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('rewind' as const), blocks: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('drop' as const) }),
  fc.record({ kind: fc.constant('look' as const), ago: fc.integer({ min: 0, max: 3 }) }),
);

const OBSERVED_AT = '2026-11-22T10:06:00.000Z';
const ADDRESS = terms.target.kind === 'address' ? terms.target.address : '';
const TARGET = {
  invoiceId: terms.invoiceId,
  currency: terms.currency,
  address: ADDRESS,
  reference: null,
  sinceMs: 0,
};

/** An invoice and its chain, and every event so far. */
class Observed {
  readonly chain = new SimulatedChain(() => Date.parse('2026-11-22T10:05:00.000Z'));
  readonly events: CryptoInvoiceEvent[] = [created];
  state: CryptoInvoiceState = cryptoInvoiceDecider.evolve(
    cryptoInvoiceDecider.initialState,
    created,
  );
  readonly #watcher = new SimulatedWatcher(() => Promise.resolve(this.chain));
  readonly #shown: (readonly SeenPayment[])[] = [];

  async do(one: Step): Promise<void> {
    switch (one.kind) {
      case 'pay': {
        const { currency, address, reference } = TARGET;
        this.chain.pay({ currency, address, reference, units: String(one.units) });
        return;
      }
      case 'mine':
        this.chain.mine(one.blocks);
        return;
      case 'rewind':
        this.chain.rewind(one.blocks);
        return;
      case 'drop': {
        const [first] = this.chain.waiting;
        if (first) this.chain.drop(first.txid);
        return;
      }
      case 'look':
        await this.look(one.ago);
    }
  }

  /** An answer of an earlier time may come late, and any answer may come again. */
  async look(ago = 0): Promise<void> {
    const seen = await this.#watcher.payments([TARGET], AbortSignal.timeout(1_000));
    this.#shown.push(seen.get(TARGET.invoiceId) ?? []);
    const payments = this.#shown.at(-1 - ago) ?? this.#shown.at(-1) ?? [];
    const data = {
      invoiceId: TARGET.invoiceId,
      payments,
      observedAt: OBSERVED_AT,
      latePriceMicroUsd: null,
    };
    const events = cryptoInvoiceDecider.decide({ type: 'ObservePayments', data }, this.state);
    this.state = events.reduce(cryptoInvoiceDecider.evolve, this.state);
    this.events.push(...events);
  }

  /** The credits by output of a transaction, in order. */
  credits(): ReadonlyMap<string, readonly bigint[]> {
    const credits = new Map<string, bigint[]>();
    for (const { type, data } of this.events) {
      if (type !== 'CryptoPaymentConfirmed' || data.creditMicroUsd === '0') continue;
      const key = `${data.txid}-${data.output}`;
      credits.set(key, [...(credits.get(key) ?? []), BigInt(data.creditMicroUsd)]);
    }
    return credits;
  }
}

describe('a crypto invoice, whatever the chain does and however its answers come', () => {
  it('credits each output once, and says what it has credited', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const observed = new Observed();
        for (const one of steps) await observed.do(one);
        const credits = [...observed.credits().values()];
        expect(credits.every((ofOutput) => ofOutput.length === 1)).toBe(true);
        const sum = credits.flat().reduce((total, credit) => total + credit, 0n);
        expect(creditedOf(observed.state)).toBe(sum);
      }),
      { numRuns: 200 },
    );
  });

  it('knows what the chain shows, once the chain has been looked at', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const observed = new Observed();
        for (const one of steps) await observed.do(one);
        observed.chain.mine(terms.confirmations);
        await observed.look();
        const { blocks } = observed.chain;
        const paid = blocks
          .flatMap(({ transactions }) => transactions.flatMap(({ outputs }) => outputs))
          .reduce((total, { units }) => total + BigInt(units), 0n);
        expect(confirmedUnits(observed.state)).toBe(paid);
        const due = BigInt(terms.dueUnits);
        const statuses = paid > due ? 'overpaid' : paid === due ? 'completed' : 'underpaid';
        expect(statusOf(observed.state)).toBe(paid === 0n ? 'pending' : statuses);
      }),
      { numRuns: 200 },
    );
  });

  it('credits exactly what was paid, at its price, where nothing was reverted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 150_000 }), { minLength: 1, maxLength: 8 }),
        async (parts) => {
          const observed = new Observed();
          for (const units of parts) {
            await observed.do({ kind: 'pay', units });
            await observed.do({ kind: 'mine', blocks: 2 });
            await observed.look();
          }
          const paid = BigInt(parts.reduce((total, units) => total + units, 0));
          const worth = (paid * BigInt(terms.amountMicroUsd)) / BigInt(terms.dueUnits);
          expect(creditedOf(observed.state)).toBe(worth);
        },
      ),
      { numRuns: 200 },
    );
  });
});
