import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type LedgerCalls } from '#platform/ledger/remote/ledger.protocol.js';
import {
  type ReadinessCheck,
  type ReadinessPart,
  type ReadinessReason,
} from '#platform/runtime/areas/operations.js';
import { type ProcessAnswer, type ProcessCall } from '#platform/runtime/process/process-calls.js';
import { type ProjectorCalls } from '#platform/runtime/projector/projector.protocol.js';
import { batchedEndpoint } from '#platform/threads/batched-endpoint.js';
import { type Endpoint, ThreadCalls } from '#platform/threads/thread-calls.js';
import { type SignInGate } from '../gateway/identity/sign-in-gate.js';
import { answered } from '../operations/answered.js';
import { type MetricValues, ProcessGroup } from '../operations/process-group.port.js';
import {
  type GroupGatewayCalls,
  type LeaderCalls,
  type ListeningGateway,
} from './gateway-group.protocol.js';
import { GatewayStartError } from './gateway-start.error.js';

/** Between two starts of a gateway that ends. */
const RESTARTS: BackOff = { firstMs: 500, maxMs: 30_000 };
/** The time of a stop beyond the drain, before a gateway is killed. */
const STOP_MS_MAX = 10_000;

/** A health check takes 400 ms at most, and a gateway that goes by last answers somewhat less. */
const REASONS_MS_MAX = 380;

export interface GatewayGroupOptions {
  readonly size: number;
  /** The compiled main of a gateway of the group. */
  readonly main: string;
  /** The variables of the gateway of this number, 1 for the first. */
  readonly environmentOf: (number: number) => NodeJS.ProcessEnv;
  readonly attempts: SignInGate;
  readonly logger: Logger;
  readonly drainMs: number;
}

/** The calls that the leading process lends to its gateways: the projector and the ledger. */
export type LentCalls = Pick<ProjectorCalls, 'appended' | 'reach' | 'status'> & LedgerCalls;

interface Gateway {
  readonly number: number;
  readonly worker: Worker;
  readonly calls: ThreadCalls<GroupGatewayCalls, LeaderCalls & LentCalls>;
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  isListening: boolean;
}

/**
 * The gateways that serve one port: processes that this process starts, restarts and stops. It
 * accepts connections and hands them out in turn, so that a few connections load all gateways.
 */
@Injectable()
export class GatewayGroup extends ProcessGroup implements ReadinessCheck {
  readonly #gateways = new Map<number, Gateway>();
  readonly #stopping = new AbortController();
  readonly #keeping: Promise<void>[] = [];
  #values: () => Promise<readonly MetricValues[]> = () => Promise.resolve([]);
  #lent: Partial<LentCalls> = {};

  constructor(private readonly options: GatewayGroupOptions) {
    super();
    const { main: exec } = options;
    cluster.setupPrimary({ exec, args: [], serialization: 'advanced' });
    cluster.schedulingPolicy = cluster.SCHED_RR;
  }

  /** Starts one gateway, and the others when it listens. @throws GatewayStartError */
  async start(): Promise<ListeningGateway> {
    const first = await this.#fork(1);
    this.#keeping.push(this.#keep(1));
    for (let number = 2; number <= this.options.size; number += 1) {
      this.#keeping.push(this.#startAndKeep(number));
    }
    return first;
  }

  /** From now on the gateways send their changes of accounts, and ask for projections. */
  lend(calls: LentCalls, values: () => Promise<readonly MetricValues[]>): void {
    this.#lent = calls;
    this.#values = values;
    for (const { calls: gateway } of this.#gateways.values()) gateway.offer(calls);
  }

  /** A gateway that ends meanwhile reads everything at its next start. */
  async reload(): Promise<void> {
    const reloadOne = ({ number, calls }: Gateway): Promise<void> =>
      calls.call('reload', null).catch((err: unknown) => {
        this.options.logger.error({ gateway: number, err }, 'a gateway did not reload');
      });
    await Promise.all([...this.#gateways.values()].map(reloadOne));
  }

  async readiness(): Promise<ReadinessPart> {
    const { size } = this.options;
    const numbers = Array.from({ length: size }, (_, index) => index + 1);
    const reasons = await Promise.all(numbers.map((number) => this.#reasonsOf(number)));
    const listening = numbers.filter((number) => this.#gateways.get(number)?.isListening);
    return { reasons: reasons.flat(), facts: { gateways: { size, listening: listening.length } } };
  }

  override async metrics(): Promise<string> {
    const gateways = [...this.#gateways.values()].filter(({ isListening }) => isListening);
    const asked = await Promise.all(
      gateways.map(({ calls }) => answered(calls.call('metrics', null))),
    );
    const values = [
      await this.#values(),
      ...asked.flatMap(({ answer }) => (answer ? [answer] : [])),
    ];
    return AggregatorRegistry.aggregate(values.map((one) => [...one])).metrics();
  }

  /** Every gateway drains and ends. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const deadline = sleep(this.options.drainMs + STOP_MS_MAX, undefined, { ref: false });
    for (const { worker } of this.#gateways.values()) worker.process.kill('SIGTERM');
    const exits = [...this.#gateways.values()].map(({ exited }) => exited);
    await Promise.race([Promise.all(exits), deadline]);
    for (const { worker } of this.#gateways.values()) worker.process.kill('SIGKILL');
    await Promise.all(this.#keeping);
  }

  async #reasonsOf(number: number): Promise<readonly ReadinessReason[]> {
    const gateway = this.#gateways.get(number);
    const missing = (detail: string) => [{ code: 'gateway_unavailable', detail }];
    if (!gateway?.isListening) return missing(`gateway ${number} does not listen`);
    const asked = gateway.calls.call('reasons', null);
    const { answer = [], failure } = await answered(asked, REASONS_MS_MAX);
    if (failure !== null) return missing(`gateway ${number} does not answer: ${failure}`);
    return answer.map(({ code, detail }) => ({ code, detail: `gateway ${number}: ${detail}` }));
  }

  async #startAndKeep(number: number): Promise<void> {
    await this.#fork(number).catch(() => undefined);
    await this.#keep(number);
  }

  /** Starts the gateway again whenever it ends. */
  async #keep(number: number): Promise<void> {
    const { signal } = this.#stopping;
    const isStopped = (): boolean => signal.aborted;
    for (let failures = 1; !isStopped(); failures += 1) {
      const startedAt = performance.now();
      const exit = await this.#gateways.get(number)?.exited;
      if (isStopped()) return;
      if (performance.now() - startedAt > RESTARTS.maxMs) failures = 1;
      const delayMs = backOffMs(RESTARTS, failures);
      this.options.logger.error({ gateway: number, exit, delayMs }, 'a gateway ended');
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      if (!isStopped()) await this.#fork(number).catch(() => undefined);
    }
  }

  /** Resolves when it listens. @throws GatewayStartError when it ends before */
  async #fork(number: number): Promise<ListeningGateway> {
    const worker = cluster.fork(this.options.environmentOf(number));
    const running: string[] = [];
    const listening = Promise.withResolvers<ListeningGateway>();
    const calls = new ThreadCalls<GroupGatewayCalls, LeaderCalls & LentCalls>(endpointOf(worker), {
      ...this.#answers(number, running),
      ...this.#lent,
      listening: (gateway) => listening.resolve(gateway),
    });
    const exited = once(worker, 'exit').then((ended) => {
      const [code, signal] = ended as [number | null, string | null];
      calls.end(`gateway ${number} ended with ${code ?? signal}`);
      gateway.isListening = false;
      // Open attempts to authenticate count as failed: a crash gives no further attempts.
      for (const address of running) this.options.attempts.leave(address, true);
      listening.reject(new GatewayStartError(code ?? 1));
      return code ?? signal ?? 'unknown';
    });
    const gateway: Gateway = { number, worker, calls, exited, isListening: false };
    this.#gateways.set(number, gateway);
    const started = await listening.promise;
    gateway.isListening = true;
    return started;
  }

  async #forward(call: ProcessCall): Promise<ProcessAnswer> {
    const { environmentOf } = this.options;
    const gateway = [...this.#gateways.values()].find(
      ({ number, isListening }) =>
        isListening && environmentOf(number)['QUIPU_INSTANCE'] === call.host,
    );
    return gateway ? { answer: await gateway.calls.call('forwarded', call) } : null;
  }

  /** @param running the addresses whose attempts run in that gateway */
  #answers(number: number, running: string[]): Omit<LeaderCalls, 'listening'> {
    const { attempts } = this.options;
    return {
      counted: (requests) => {
        for (const gateway of this.#gateways.values()) {
          if (gateway.number !== number) gateway.calls.tell('counted', requests);
        }
      },
      forward: (call) => this.#forward(call),
      enterAttempt: async (address) => {
        const verdict = await attempts.enter(address);
        if (verdict === 'entered') running.push(address);
        return verdict;
      },
      leaveAttempt: ({ address, failed }) => {
        running.splice(running.indexOf(address), 1);
        attempts.leave(address, failed);
      },
      metrics: () => this.metrics(),
    };
  }
}

const endpointOf = (worker: Worker): Endpoint =>
  batchedEndpoint({
    postMessage: (messages) => {
      if (worker.isConnected()) worker.send(messages as object);
    },
    on: (event, listener) => worker.on(event, listener),
  });
