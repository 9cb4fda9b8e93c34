import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { interruptible } from '#platform/runtime/subscriptions/interruptible.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { isUnpayable } from '#platform/ledger/paid-work/ledger-rejection.js';
import { runHolder, WorkflowBlobs } from '../workflow-blobs.js';
import { ControlSteps } from './control-steps.js';
import { NodeCalls, type Turn } from './node-calls.js';
import { NodeInputs, type RunTexts } from './node-input.js';
import { runContext } from './run-context.js';
import { preparationFailureOf } from './run-failure.js';
import { RunFunds } from './run-funds.js';
import { planOf, type RunStep } from './run-plan.js';
import { RunSettlement } from './run-settlement.js';
import { hasEnded, type StartedRun } from './workflow-run.state.js';
import { WorkflowStreams } from './workflow-streams.js';

/** The longest interval between two checks of a run with calls under way. */
const LOOKED_EVERY_MS = 1_000;

/** The services that drive a run; one instance for all runs of a process. */
@Injectable()
export class RunWork {
  constructor(
    readonly streams: WorkflowStreams,
    readonly inputs: NodeInputs,
    readonly calls: NodeCalls,
    readonly controls: ControlSteps,
    readonly funds: RunFunds,
    readonly settlement: RunSettlement,
    readonly blobs: WorkflowBlobs,
    @Inject(CLOCK) readonly clock: Clock,
  ) {}

  /** Runs that this process has taken and not left. */
  readonly taken = new Set<string>();
}

/**
 * Drives one run step by step. The log has each step before the next one begins. The driver's
 * memory has no state that the log lacks, so another driver can continue from any event.
 */
export class RunDriver {
  readonly #calling = new Map<string, AbortController>();
  readonly #settled = new Set<Promise<void>>();
  #texts: RunTexts | undefined;
  #failure: { readonly error: unknown } | undefined;
  #orders: Promise<unknown> = Promise.resolve();
  #isWoken = false;
  #endPause: () => void = () => undefined;

  constructor(
    private readonly runId: string,
    private readonly work: RunWork,
    /** Aborted when the process stops or does not lead any more. */
    private readonly stopping: AbortSignal,
  ) {}

  /** Something else than this driver has changed the run. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /**
   * Resolves when nothing is to be done now and no call is under way.
   * @returns when to continue, in milliseconds since the Unix epoch; null: after an event
   * @throws an error of a store or of the ledger; the next drive continues
   */
  async drive(): Promise<number | null> {
    const leave = (): void => this.wake();
    this.stopping.addEventListener('abort', leave, { once: true });
    try {
      const dueAtMs = await this.#drive();
      await this.#endCalls();
      await this.#leave();
      return dueAtMs;
    } finally {
      this.stopping.removeEventListener('abort', leave);
      await this.#endCalls();
    }
  }

  async #endCalls(): Promise<void> {
    this.#abortCalls();
    await Promise.all(this.#settled);
  }

  /**
   * Writes, before the first step, that this process works on the run, so that the next process
   * knows whether this one has died of it.
   * @returns whether the run continues
   */
  async #take(run: StartedRun): Promise<boolean> {
    const { taken, streams, clock } = this.work;
    if (run.status !== 'running' || taken.has(this.runId)) return true;
    const data = { runId: this.runId, takenAt: instant(clock) };
    await streams.onRun({ type: 'TakeRun', data }, runContext(run.order, `take ${randomUUID()}`));
    taken.add(this.runId);
    return false;
  }

  async #leave(): Promise<void> {
    const { taken, streams, clock } = this.work;
    if (!taken.delete(this.runId)) return;
    const run = await streams.runOf(this.runId);
    if (run.status !== 'running') return;
    const data = { runId: this.runId, leftAt: instant(clock) };
    await streams.onRun({ type: 'LeaveRun', data }, runContext(run.order, `leave ${randomUUID()}`));
  }

  async #drive(): Promise<number | null> {
    await this.#repeatOrder();
    for (;;) {
      this.#isWoken = false;
      const run = await this.work.streams.runOf(this.runId);
      if (this.#failure) throw this.#failure.error;
      if (this.stopping.aborted || run.status === 'absent') return null;
      if (run.status !== 'running' && this.#calling.size > 0) {
        // The charge includes the usage of the calls.
        await this.#endCalls();
        continue;
      }
      const calling = new Set(this.#calling.keys());
      const { steps, dueAtMs } = planOf(run, this.work.clock.now(), calling);
      if (steps.length > 0 && !(await this.#take(run))) continue;
      for (const step of steps) {
        await this.#do(step, run);
        await nextTurn();
      }
      if (steps.length > 0) continue;
      if (this.#calling.size === 0) return dueAtMs;
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    if (this.#isWoken) return;
    await interruptible(LOOKED_EVERY_MS, (end) => (this.#endPause = end));
    this.#endPause = () => undefined;
  }

  #abortCalls(): void {
    for (const controller of this.#calling.values()) controller.abort();
  }

  /**
   * A process that ended between the record of an order and the order itself has left the ledger
   * without it. The ledger takes a repeat once.
   */
  async #repeatOrder(): Promise<void> {
    const { streams, funds } = this.work;
    const run = await streams.runOf(this.runId);
    if (run.status !== 'running' || run.hold?.last.node == null) return;
    const { node: path } = run.hold.last;
    const node = run.nodes.get(path);
    if (!node || node.beganAt !== null || hasEnded(node)) return;
    try {
      await funds.repeat(run);
    } catch (error) {
      const failure = preparationFailureOf(error);
      if (!failure) throw error;
      const attempt = node.attempt + 1;
      const failedAt = instant(this.work.clock);
      const data = { runId: this.runId, node: path, attempt, ...failure, failedAt };
      const context = runContext(run.order, `fail ${path} ${attempt}`);
      await streams.onRun({ type: 'FailNode', data }, context);
    }
  }

  async #do(step: RunStep, run: StartedRun): Promise<void> {
    switch (step.do) {
      case 'call':
        return this.#call(step, run);
      case 'control':
        return this.#withTexts(run, (texts) => this.work.controls.step(step.node, { run, texts }));
      case 'time-out':
        return this.#timeOut(run);
      case 'renew':
        return this.#renew(run);
      case 'settle':
        return this.work.settlement.settle(run);
      case 'forget':
        return this.#forget(run);
    }
  }

  #call({ path, node }: Extract<RunStep, { do: 'call' }>, run: StartedRun): Promise<void> {
    return this.#withTexts(run, (texts) => {
      const controller = new AbortController();
      this.#calling.set(path, controller);
      const ended = this.work.calls
        .run([path, node], { run, texts }, this.#inTurn, {
          ended: controller.signal,
          stopping: this.stopping,
        })
        .catch((error: unknown) => {
          if (!controller.signal.aborted && !this.stopping.aborted) this.#failure ??= { error };
        })
        .finally(() => {
          this.#calling.delete(path);
          this.#settled.delete(ended);
          this.wake();
        });
      this.#settled.add(ended);
      return Promise.resolve();
    });
  }

  /** Of a run whose content is gone, every node fails that needs it: the run is stopped. */
  async #withTexts(run: StartedRun, use: (texts: RunTexts) => Promise<void>): Promise<void> {
    try {
      this.#texts ??= await this.work.inputs.textsOf(run);
    } catch (error) {
      if (!preparationFailureOf(error)) throw error;
      await this.#stop(run, 'cancelled');
      return;
    }
    await use(this.#texts);
  }

  readonly #inTurn: Turn = (work) => {
    const next = this.#orders.then(work, work);
    this.#orders = next.catch(() => undefined);
    return next;
  };

  #timeOut(run: StartedRun): Promise<void> {
    return this.#stop(run, 'timed_out');
  }

  async #stop(run: StartedRun, status: 'cancelled' | 'timed_out'): Promise<void> {
    const data = { runId: this.runId, status, at: instant(this.work.clock) };
    await this.work.streams.onRun({ type: 'StopRun', data }, runContext(run.order, status));
  }

  /** More time for the hold. If the account cannot pay for it now, it is charged at the end. */
  async #renew({ order: { runId } }: StartedRun): Promise<void> {
    await this.#inTurn(async () => {
      const run = await this.work.streams.runOf(runId);
      if (run.status !== 'running' || !run.hold) return;
      const { rateCardVersion } = run.hold;
      try {
        await this.work.funds.add(run, null, { lines: [], rateCardVersion });
      } catch (error) {
        if (!isUnpayable(error)) throw error;
      }
    });
  }

  async #forget(run: StartedRun): Promise<void> {
    const { accountId, definition, inputs } = run.order;
    const outputs = [...run.nodes.values()].flatMap(({ end }) => end?.output ?? []);
    for (const blob of [definition, inputs, ...outputs]) {
      await this.work.blobs.release(accountId, blob, runHolder(this.runId));
    }
    const data = { runId: this.runId, forgottenAt: instant(this.work.clock) };
    await this.work.streams.onRun({ type: 'ForgetRun', data }, runContext(run.order, 'forget'));
  }
}
