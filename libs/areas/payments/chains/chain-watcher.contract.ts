import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChainWatcher, type SeenPayment, type WatchTarget } from './chain-watcher.port.js';
import { SimulatedChain, type SimulatedOutput } from './simulated/simulated-chain.js';

export const NOW = Date.parse('2026-11-22T10:00:00.000Z');
const BLOCK_MS = 12_000;
/** Enough on every chain. */
const FINAL = 32;

/** An adapter, and what its chain can do. */
export interface WatchedChain {
  /** Opens the adapter on a server that shows the simulated chain. */
  readonly open: (chain: SimulatedChain) => Promise<{
    readonly watcher: ChainWatcher;
    /** Afterwards the server cannot be reached. */
    readonly close: () => Promise<void>;
  }>;
  /** Two targets, each with a payment for it. */
  readonly targets: readonly [WatchTarget, WatchTarget];
  /** Whether the chain shows transactions that wait for a block. */
  readonly showsWaiting: boolean;
  /** Whether one transaction can pay a target several times. */
  readonly paysSeveralTimes: boolean;
}

/** The contract of every adapter of a chain. Each runs on a server that shows a simulated chain. */
export const chainWatcherContract = (adapter: string, watched: WatchedChain): void => {
  const { targets, showsWaiting, paysSeveralTimes } = watched;
  const [target, other] = targets;

  describe(`ChainWatcher contract: ${adapter}`, () => {
    let chain: SimulatedChain;
    let opened: Awaited<ReturnType<WatchedChain['open']>>;
    let nowMs: number;

    beforeEach(async () => {
      nowMs = NOW;
      chain = new SimulatedChain(() => (nowMs += BLOCK_MS));
      opened = await watched.open(chain);
    });

    afterEach(() => opened.close());

    const paying = (units: bigint, to = target): SimulatedOutput => ({
      currency: to.currency,
      address: to.address,
      reference: to.reference,
      units: units.toString(),
    });
    const look = () => opened.watcher.payments(targets, AbortSignal.timeout(5_000));
    const seen = async (of = target): Promise<readonly SeenPayment[]> =>
      (await look()).get(of.invoiceId) ?? [];
    const units = async (of = target) =>
      (await seen(of)).map((payment) => payment.units).toSorted((one, two) => Number(one - two));

    it('sees nothing where nothing was paid', async () => {
      expect(await look()).toEqual(
        new Map([
          [target.invoiceId, []],
          [other.invoiceId, []],
        ]),
      );
    });

    it('sees a payment that waits, where the chain shows it', async () => {
      chain.pay(paying(1_500n));
      const waiting = { units: 1_500n, confirmations: 0, block: null };
      expect(await seen()).toMatchObject(showsWaiting ? [waiting] : []);
    });

    it('sees a payment in a block, and its confirmations', async () => {
      chain.pay(paying(1_500n));
      chain.mine();
      const [first] = await seen();
      expect(first).toMatchObject({ units: 1_500n, confirmations: 1 });
      expect(first?.block?.at).toMatch(/^2026-11-22T10:00:\d\d\.000Z$/);
      chain.mine(FINAL);
      const [later] = await seen();
      expect(later?.confirmations).toBeGreaterThanOrEqual(FINAL);
      expect({ ...later, confirmations: 1 }).toEqual(first);
    });

    it('sees every payment to a target, and none to another', async () => {
      chain.pay(paying(1_000n));
      chain.pay(paying(7n, other));
      chain.mine();
      chain.pay(paying(3n));
      chain.mine();
      expect(await units()).toEqual([3n, 1_000n]);
      expect(await units(other)).toEqual([7n]);
    });

    it('sees more payments than one page has', async () => {
      for (let payment = 1n; payment <= 60n; payment += 1n) {
        chain.pay(paying(payment));
        if (payment % 20n === 0n) chain.mine();
      }
      expect(await units()).toEqual(Array.from({ length: 60 }, (_, index) => BigInt(index + 1)));
    });

    it('sees amounts exactly', async () => {
      const amount = 123_456_789_012_345n;
      chain.pay(paying(amount));
      chain.mine();
      expect(await units()).toEqual([amount]);
    });

    it('sees a reorganisation: the payment is in another block, or waits again', async () => {
      const txid = chain.pay(paying(1_500n));
      chain.mine(2);
      const [before] = await seen();
      chain.rewind(2);
      chain.mine(3, [txid]);
      expect(await units()).toEqual(showsWaiting ? [1_500n] : []);
      chain.mine();
      const [after] = await seen();
      expect(after).toMatchObject({ units: 1_500n, confirmations: 1 });
      expect([after?.txid, after?.output]).toEqual([before?.txid, before?.output]);
      expect(after?.block?.hash).not.toBe(before?.block?.hash);
    });

    it('no longer sees a payment that was replaced', async () => {
      const txid = chain.pay(paying(1_500n));
      chain.mine();
      expect(await units()).toEqual([1_500n]);
      chain.rewind(1);
      chain.drop(txid);
      chain.mine(2);
      expect(await seen()).toEqual([]);
    });

    it('keeps the output of a payment whatever else a block has', async () => {
      const first = chain.pay(paying(1n, other));
      const second = chain.pay(paying(2n));
      chain.mine();
      const [before] = await seen();
      chain.rewind(1);
      chain.mine(1, [first]);
      const [after] = await seen();
      expect(after).toMatchObject({ txid: before?.txid, output: before?.output });
      expect(before?.txid.endsWith(second)).toBe(true);
    });

    if (paysSeveralTimes) {
      it('tells the payments of one transaction apart', async () => {
        chain.pay(paying(10n), paying(20n), paying(5n, other));
        chain.mine();
        const payments = await seen();
        expect(payments.map((payment) => payment.units)).toEqual([10n, 20n]);
        expect(new Set(payments.map(({ output }) => output)).size).toBe(2);
        expect(new Set(payments.map(({ txid }) => txid)).size).toBe(1);
      });
    }

    it('knows nothing while the chain cannot be read', async () => {
      await opened.close();
      await expect(look()).rejects.toThrow();
    });

    it('ends when it is asked to', async () => {
      const looking = opened.watcher.payments(targets, AbortSignal.abort());
      await expect(looking).rejects.toThrow();
    });
  });
};
