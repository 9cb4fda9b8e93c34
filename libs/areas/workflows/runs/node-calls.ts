import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { doubtsOf } from '#events/token-usage.vocabulary.js';
import { heldMeterOf } from '#events/token-meters.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { type ToolCall, type ToolOutcome } from '#platform/tools/tool.js';
import { Tools } from '#platform/tools/tools.js';
import { runHolder, WorkflowBlobs } from '../workflow-blobs.js';
import { type CallInput, NodeInputs, type RunTexts } from './node-input.js';
import { runContext } from './run-context.js';
import {
  callFailureOf,
  finalFailure,
  type NodeFailure,
  preparationFailureOf,
  timedOut,
} from './run-failure.js';
import { missingOf, RunFunds } from './run-funds.js';
import { type RunNode, type StartedRun } from './workflow-run.state.js';
import { WorkflowStreams } from './workflow-streams.js';

/** The output of one node as JSON. */
export const OUTPUT_BYTES_MAX = 262_144;

/** A call that may begin, or go on: its worst case is held and its start is in the log. */
interface ReadyCall {
  readonly tool: string;
  readonly input: unknown;
  readonly call: ToolCall;
  readonly attempt: number;
  readonly until: string | null;
  /** The room of the input. */
  readonly giveBack: () => void;
}

/** The result of a call, or its failure with the usage. */
type Outcome = ToolOutcome<unknown> | NodeFailure;

/** Why a call ends before its tool does. */
export interface CallSignals {
  /** The run has ended: the usage of the call by then is recorded. */
  readonly ended: AbortSignal;
  /** The process stops: another one makes the call again, so nothing is recorded. */
  readonly stopping: AbortSignal;
}

/** The time in which an aborted tool must state its usage. */
const ABORT_GRACE_MS = 2_000;

/** Work on one run at a time; orders of one run to the ledger follow one another. */
export type Turn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Runs the calls of nodes: holds, begins, calls the tool, stores its result. */
@Injectable()
export class NodeCalls {
  constructor(
    private readonly tools: Tools,
    private readonly inputs: NodeInputs,
    private readonly funds: RunFunds,
    private readonly streams: WorkflowStreams,
    private readonly blobs: WorkflowBlobs,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * One attempt of a node. A repeat after a crash has the same call id.
   * @throws an error of a store or of the ledger; a repeat continues the attempt
   */
  async run(
    [path, node]: readonly [string, RunNode],
    { run, texts }: { readonly run: StartedRun; readonly texts: RunTexts },
    turn: Turn,
    { ended, stopping }: CallSignals,
  ): Promise<void> {
    const signal = AbortSignal.any([ended, stopping]);
    const ready = await this.#ready(path, node, { run, texts }, turn, signal);
    if (!ready) return;
    if ('isRetryable' in ready) return this.#fail(run, path, attemptOf(node), ready);
    try {
      const outcome = await this.#outcome(ready, signal);
      if (stopping.aborted) return;
      if (ended.aborted) {
        await this.#recordAborted(run, path, ready.attempt, outcome);
        return;
      }
      if ('isRetryable' in outcome) {
        await this.#fail(run, path, ready.attempt, outcome);
        return;
      }
      await this.#complete(run, path, ready.attempt, outcome);
    } finally {
      ready.giveBack();
    }
  }

  /** Undefined once the signal is aborted: nothing has begun. */
  async #ready(
    path: string,
    node: RunNode,
    { run, texts }: { readonly run: StartedRun; readonly texts: RunTexts },
    turn: Turn,
    signal: AbortSignal,
  ): Promise<ReadyCall | NodeFailure | undefined> {
    const tool = node.node.tool ?? node.node.kind;
    const call = this.#callOf(run, path, signal);
    const attempt = attemptOf(node);
    let made: CallInput | undefined;
    let isReady = false;
    try {
      made = await this.inputs.ofCall(run, texts, node, signal);
      const { input, bytes, giveBack } = made;
      const ready = { tool, input, call, attempt, giveBack };
      if (node.status !== 'running') {
        const need = await this.#estimate(tool, input, call);
        if ('isRetryable' in need) return need;
        await turn(() => this.#fund(run.order.runId, path, need));
      }
      const isBegun = node.status === 'running';
      const until = isBegun ? node.until : await this.#start(run, path, node, bytes);
      isReady = !signal.aborted;
      return isReady ? { ...ready, until } : undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      const failure = preparationFailureOf(error);
      if (failure) return failure;
      throw error;
    } finally {
      if (!isReady) made?.giveBack();
    }
  }

  /** @returns when the attempt is out of time */
  async #start(run: StartedRun, path: string, node: RunNode, expandedBytes: number) {
    const { runId } = run.order;
    const attempt = attemptOf(node);
    const until = this.#untilOf(node);
    const ids = { runId, node: path, attempt, callId: callIdOf(runId, path), items: null };
    const data = { ...ids, expandedBytes, until, beganAt: instant(this.clock) };
    const context = runContext(run.order, `start ${path} ${attempt}`);
    await this.streams.onRun({ type: 'StartNode', data }, context);
    return until;
  }

  /** The prices of the start of the run hold for the whole run. */
  #callOf({ order }: StartedRun, path: string, signal: AbortSignal): ToolCall {
    const { runId, accountId, startedBy: actor, startedAt } = order;
    const id = callIdOf(runId, path);
    const pricedAtMs = Date.parse(startedAt);
    return { id, accountId, actor, requestId: runId, pricedAtMs, signal };
  }

  async #estimate(tool: string, input: unknown, call: ToolCall) {
    try {
      return await this.tools.estimate(tool, input, call);
    } catch (error) {
      return this.#failureOf(error, tool);
    }
  }

  /** The state is read in turn: another node of the run may have ordered meanwhile. */
  async #fund(
    runId: string,
    path: string,
    need: Awaited<ReturnType<Tools['estimate']>>,
  ): Promise<void> {
    const { rateCardVersion } = need;
    if (rateCardVersion === null) return;
    const run = await this.streams.runOf(runId);
    if (run.status !== 'running') return;
    const used = run.nodes.get(path)?.used ?? [];
    const needed = need.lines.map((line) => {
      const before = used.filter(({ meter }) => heldMeterOf(meter) === line.meter);
      const quantity = before.reduce((sum, one) => sum + one.quantity, line.quantity);
      return { ...line, quantity, step: path };
    });
    const lines = missingOf(run.hold?.lines ?? [], needed);
    if (lines.length > 0) await this.funds.add(run, path, { lines, rateCardVersion });
  }

  #untilOf({ node: { timeOutMs } }: RunNode): string | null {
    if (timeOutMs === null) return null;
    return new Date(this.clock.now() + timeOutMs).toISOString();
  }

  async #outcome(ready: ReadyCall, signal: AbortSignal): Promise<Outcome> {
    const { tool, input, call, until } = ready;
    const leftMs = until === null ? null : Date.parse(until) - this.clock.now();
    if (leftMs !== null && leftMs <= 0) return timedOut(`the tool ${tool}`);
    const timeOut = leftMs === null ? null : AbortSignal.timeout(leftMs);
    const either = timeOut ? AbortSignal.any([signal, timeOut]) : signal;
    try {
      const running = this.tools.run(tool, input, { ...call, signal: either });
      const outcome = await abandoned(running, either);
      return timeOut?.aborted ? timedOut(`the tool ${tool}`, outcome) : outcome;
    } catch (error) {
      if (timeOut?.aborted) return timedOut(`the tool ${tool}`, { used: this.tools.usedBy(error) });
      return this.#failureOf(error, tool, signal);
    }
  }

  #failureOf(error: unknown, tool: string, signal?: AbortSignal): NodeFailure {
    const failure = callFailureOf(error, this.tools);
    if (failure.code === 'internal_error' && !signal?.aborted) {
      this.logger.error({ err: error, tool }, 'a tool failed that a workflow called');
    }
    return failure;
  }

  #fail(run: StartedRun, node: string, attempt: number, failure: NodeFailure): Promise<void> {
    const { runId } = run.order;
    const data = { runId, node, attempt, ...failure, failedAt: instant(this.clock) };
    const context = runContext(run.order, `fail ${node} ${attempt}`);
    return this.streams.onRun({ type: 'FailNode', data }, context).then(() => undefined);
  }

  async #recordAborted(run: StartedRun, node: string, attempt: number, outcome: Outcome) {
    const used = outcome.used.filter(({ quantity }) => quantity > 0);
    if (used.length === 0) return;
    const { runId } = run.order;
    const work = { used, ...doubtsOf([outcome]) };
    const data = { runId, node, attempt, ...work, abortedAt: instant(this.clock) };
    const context = runContext(run.order, `aborted ${node} ${attempt}`);
    await this.streams.onRun({ type: 'RecordAborted', data }, context);
  }

  async #complete(
    run: StartedRun,
    node: string,
    attempt: number,
    outcome: ToolOutcome<unknown>,
  ): Promise<void> {
    const { runId, accountId } = run.order;
    const { output: value, used, counters, usageDoubts } = outcome;
    const bytes = Buffer.byteLength(JSON.stringify(value ?? null));
    if (bytes > OUTPUT_BYTES_MAX) {
      const message = `the output has ${bytes} bytes of JSON; at most ${OUTPUT_BYTES_MAX} are kept`;
      await this.#fail(run, node, attempt, {
        ...finalFailure('output_too_large', message),
        used,
        usageDoubts,
      });
      return;
    }
    const output = await this.blobs.put(accountId, value, runHolder(runId));
    const endedAt = instant(this.clock);
    const result = { output, chosen: null, used: [...used], counters: { ...counters }, endedAt };
    const data = { runId, node, attempt, ...result, ...doubtsOf([outcome]) };
    const context = runContext(run.order, `complete ${node} ${attempt}`);
    await this.streams.onRun({ type: 'CompleteNode', data }, context);
  }
}

/** Equal in every attempt and after every crash, so that a tool with an effect acts once. */
export const callIdOf = (runId: string, path: string): string => derivedId(`call ${path}`, runId);

const attemptOf = ({ status, attempt }: RunNode): number =>
  status === 'running' ? attempt : attempt + 1;

/** Does not wait for a tool that ignores its signal. */
const abandoned = <Result>(running: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const leave = (): void => {
      grace = setTimeout(() => reject(signal.reason as Error), ABORT_GRACE_MS);
    };
    signal.addEventListener('abort', leave, { once: true });
    running
      .finally(() => {
        clearTimeout(grace);
        signal.removeEventListener('abort', leave);
      })
      .then(resolve, reject);
  });
