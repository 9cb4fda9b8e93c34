import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accountDecider } from '#areas/billing/account.decider.js';
import { AccountLedger } from '#areas/billing/account-ledger.js';
import { type Accounts, accountStream } from '#areas/billing/accounts.js';
import { RejectionMemory } from '#areas/billing/explanations/rejection-memory.js';
import { ExpireHoldCommand, ExpireHoldHandler } from '#areas/billing/expire-hold.handler.js';
import { LedgerAudit } from '#areas/billing/ledger-audit.js';
import { remoteChatProduct } from '#areas/dtn/remote/remote-chat.product.js';
import { RemoteFunds } from '#areas/dtn/remote/remote-funds.js';
import {
  type RemoteCommand,
  remoteRequestDecider,
  type RemoteState,
} from '#areas/dtn/remote/remote-request.decider.js';
import { type AccountEvent, accountEvents } from '#events/billing/account.events.js';
import { type RemoteEvent, remoteEvents } from '#events/dtn/remote.events.js';
import { UserId } from '#events/vocabulary.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { priceOf } from '#platform/ledger/price.js';
import { Products } from '#platform/ledger/product.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  FaultyEventStore,
  FaultyReadStore,
  MemoryLog,
} from '#platform/runtime/faulty-stores.fake.js';
import { movableClock } from '#platform/runtime/stock.fixture.js';

const ACCOUNT = '7';
const START = Date.UTC(2026, 10, 26);
const HOUR_MS = 3_600_000;
const LIFETIME_MS = 6 * HOUR_MS;
/** The hold outlasts its request by a day. */
const SWEEP_MS = 24 * HOUR_MS;
const DEPOSIT = 10_000n;
const REQUESTS = 3;
const codec = new EventCodec([...accountEvents, ...remoteEvents]);
const PRICES = new Map([
  ['remote_prompt_tokens', { unitPriceMicroUsd: '3', perUnits: 1 }],
  ['remote_completion_tokens', { unitPriceMicroUsd: '7', perUnits: 1 }],
]);
const ROOT = '01996f4e-0000-7000-8000-000000000001';
const idOf = (what: string): string => derivedId(what, ROOT);
const system = (what: string) => contextOf(idOf(what), 'system');

const DELIVERY = { request: fc.nat(REQUESTS - 1), copies: fc.integer({ min: 1, max: 3 }) };

/** A receipt that is not in a schedule is lost. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      ...{ type: fc.constant('receipt' as const), ...DELIVERY },
      completed: fc.boolean(),
      prompt: fc.nat(150),
      completion: fc.nat(150),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('expiry' as const), ...DELIVERY }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('settle' as const), ...DELIVERY }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('sweep' as const), ...DELIVERY }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('time' as const),
      hours: fc.integer({ min: 1, max: 20 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const TOKENS_MAX = 100;

class World {
  readonly clock = movableClock();
  readonly #log = new MemoryLog();
  readonly #accounts: Accounts;
  readonly #requests: CommandRunner<RemoteCommand, RemoteState, RemoteEvent>;
  readonly #funds: RemoteFunds;
  #commands = 0;

  constructor() {
    this.clock.nowMs = START;
    const eventStore = new FaultyEventStore(this.#log);
    const accountCodec = codec.for(accountEvents);
    this.#accounts = new CommandRunner({
      ...{ decider: accountDecider, eventStore, codec: accountCodec },
    });
    const memory = new RejectionMemory(new FaultyReadStore(), this.clock);
    const products = new Products([remoteChatProduct]);
    const ledger = new AccountLedger(
      ...([this.#accounts, eventStore, codec, products, memory] as const),
      { waitMsMax: 0 },
      this.clock,
    );
    this.#requests = new CommandRunner({
      ...{ decider: remoteRequestDecider, eventStore, codec: codec.for(remoteEvents) },
    });
    const list = { inForce: () => ({ rateCardVersion: 1, prices: PRICES }) };
    this.#funds = new RemoteFunds(new PaidProcesses(ledger, this.clock), list, this.clock);
  }

  async open(): Promise<void> {
    const account = { accountId: ACCOUNT, currency: 'USD', openedAt: this.#now() } as const;
    const opening = { type: 'OpenAccount', data: account } as const;
    await this.#accounts.run(accountStream(ACCOUNT), opening, system('open'));
    const data = {
      ...{ accountId: ACCOUNT, depositId: ROOT, amountMicroUsd: String(DEPOSIT) },
      ...{ method: 'manual_credit' as const, reason: 'a present', depositedAt: this.#now() },
    };
    const deposit = { type: 'DepositFunds', data } as const;
    await this.#accounts.run(accountStream(ACCOUNT), deposit, system('deposit'));
    for (let n = 0; n < REQUESTS; n += 1) await this.#place(n);
  }

  async #place(n: number): Promise<void> {
    const request = {
      ...{ requestId: requestOf(n), accountId: ACCOUNT, placedAt: this.#now() },
      ...{ userId: UserId.parse(7), node: 'dtn://sat/', bundleId: idOf(`bundle ${n}`) },
      ...{ nonce: '0'.repeat(32), promptTokensMax: TOKENS_MAX, completionTokensMax: TOKENS_MAX },
      expiresAt: new Date(START + LIFETIME_MS).toISOString(),
    };
    const hold = await this.#funds.place(request, idOf(`hold ${n}`), system(`hold ${n}`));
    await this.#run(n, { type: 'PlaceRequest', data: { ...request, hold } }, `place ${n}`);
  }

  async take(one: Step): Promise<void> {
    if (one.type === 'time') {
      this.clock.nowMs += one.hours * HOUR_MS;
      return;
    }
    for (let copy = 0; copy < one.copies; copy += 1) await this.#deliver(one);
  }

  async #deliver(one: Exclude<Step, { readonly type: 'time' }>): Promise<void> {
    const { request: n } = one;
    switch (one.type) {
      case 'receipt': {
        const data = {
          status: one.completed ? ('completed' as const) : ('failed' as const),
          promptTokens: Math.min(one.prompt, TOKENS_MAX),
          completionTokens: Math.min(one.completion, TOKENS_MAX),
          ...{ receiptSha256: 'a'.repeat(64), answer: null, receivedAt: this.#now() },
        };
        return this.#run(n, { type: 'RecordReceipt', data }, `receipt ${(this.#commands += 1)}`);
      }
      case 'expiry': {
        const data = { expiredAt: this.#now(), isUnsent: false };
        return this.#run(n, { type: 'ExpireRequest', data }, `expiry ${(this.#commands += 1)}`);
      }
      case 'settle':
        await this.#funds.settle(await this.stateOf(n), system(`settle ${n}`));
        return;
      case 'sweep': {
        if (this.clock.nowMs < START + LIFETIME_MS + SWEEP_MS) return;
        const command = { accountId: ACCOUNT, holdId: idOf(`hold ${n}`) };
        const sweep = new ExpireHoldCommand(command, system(`sweep ${(this.#commands += 1)}`));
        await new ExpireHoldHandler(this.#accounts, this.clock).execute(sweep);
      }
    }
  }

  /** All timers fire, and the saga sends its commands again. */
  async finish(): Promise<void> {
    this.clock.nowMs = Math.max(this.clock.nowMs, START + LIFETIME_MS);
    for (let request = 0; request < REQUESTS; request += 1) {
      for (const type of ['expiry', 'settle'] as const)
        await this.take({ type, request, copies: 2 });
    }
  }

  async stateOf(n: number): Promise<RemoteState> {
    return (await this.#requests.stateOf(`remote-${requestOf(n)}`)).state;
  }

  async money() {
    return (await this.#accounts.stateOf(accountStream(ACCOUNT))).state;
  }

  /** The captures of a request, and the laws of the ledger that an event breaks. */
  audit() {
    const audit = new LedgerAudit();
    const captures = new Map<string, number>();
    for (const event of this.#log.events.filter(({ stream }) => stream.startsWith('account-'))) {
      const account = codec.revive(event) as AccountEvent;
      audit.take(account, event.position);
      if (account.type !== 'HoldCaptured') continue;
      const { requestId } = account.data.evidence as { requestId: string };
      captures.set(requestId, (captures.get(requestId) ?? 0) + 1);
    }
    return { captures, faults: audit.faults.map(({ law, position }) => `${law} at ${position}`) };
  }

  async #run(n: number, command: RemoteCommand, what: string): Promise<void> {
    await this.#requests.run(`remote-${requestOf(n)}`, command, system(what));
  }

  #now(): string {
    return new Date(this.clock.nowMs).toISOString();
  }
}

const requestOf = (n: number): string => idOf(`request ${n}`);

const priceOfReceipt = ({ settled }: RemoteState): bigint =>
  settled ? BigInt(settled.promptTokens * 3 + settled.completionTokens * 7) : 0n;

describe('requests to remote nodes', () => {
  it('keep the money in every schedule of receipts, repeats, losses and expiries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (schedule) => {
        const world = new World();
        await world.open();
        for (const one of schedule) await world.take(one);
        await world.finish();
        const states = await Promise.all(
          Array.from({ length: REQUESTS }, (_, n) => world.stateOf(n)),
        );
        const { deposited, available, held, charged } = await world.money();
        const { captures, faults } = world.audit();
        expect(faults).toEqual([]);
        expect(held).toBe(0n);
        expect(available).toBe(deposited - charged);
        expect(charged).toBe(states.reduce((sum, state) => sum + priceOfReceipt(state), 0n));
        for (const [n, state] of states.entries()) {
          // One settlement: by a receipt or by the expiry, whatever came later.
          expect(state.settled !== null).toBe(state.expiredAt === null);
          const isCharged = priceOfReceipt(state) > 0n;
          expect(captures.get(requestOf(n)) ?? 0).toBeLessThanOrEqual(1);
          if (isCharged) expect(captures.get(requestOf(n))).toBe(1);
          const upper = state.placed ? priceOf(state.placed.hold.lines) : 0n;
          expect(priceOfReceipt(state)).toBeLessThanOrEqual(upper);
        }
      }),
      { numRuns: 200 },
    );
  });
});
