import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { derivedId } from '#platform/runtime/derived-id.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { type ToolCall, type ToolOutcome } from '#platform/tools/tool.js';
import { Tools } from '#platform/tools/tools.js';
import { runHolder, WorkflowBlobs } from '../workflow-blobs.js';
import { NodeInputs, type RunTexts } from './node-input.js';
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
}

/** Work on one run at a time; orders of one run to the ledger follow one another. */
export type Turn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Runs the calls of nodes: holds, begins, calls the tool, stores what it brought. */
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
   * @param signal aborted when the run has ended or the process stops: nothing is recorded then
   * @throws an error of a store or of the ledger; the attempt goes on when it is repeated
   */
  async run(
    [path, node]: readonly [string, RunNode],
    { run, texts }: { readonly run: StartedRun; readonly texts: RunTexts },
    turn: Turn,
    signal: AbortSignal,
  ): Promise<void> {
    const hasLeft = (): boolean => signal.aborted;
    const ready = await this.#ready(path, node, { run, texts }, turn, signal);
    if (hasLeft()) return;
    if ('isRetryable' in ready) return this.#fail(run, path, attemptOf(node), ready);
    const outcome = await this.#outcome(ready, signal);
    if (hasLeft()) return;
    if ('isRetryable' in outcome) return this.#fail(run, path, ready.attempt, outcome);
    await this.#complete(run, path, ready.attempt, outcome);
  }

  async #ready(
    path: string,
    node: RunNode,
    { run, texts }: { readonly run: StartedRun; readonly texts: RunTexts },
    turn: Turn,
    signal: AbortSignal,
  ): Promise<ReadyCall | NodeFailure> {
    const tool = node.node.tool ?? node.node.kind;
    const call = this.#callOf(run, path, signal);
    const attempt = attemptOf(node);
    try {
      const input = await this.inputs.ofCall(run, texts, node);
      if (node.status === 'running') return { tool, input, call, attempt, until: node.until };
      const need = await this.#estimate(tool, input, call);
      if ('isRetryable' in need) return need;
      await turn(() => this.#fund(run.order.runId, path, need));
      const until = this.#untilOf(node);
      const beganAt = instant(this.clock);
      const data = { runId: run.order.runId, node: path, attempt, callId: call.id, items: null };
      const command = { type: 'StartNode', data: { ...data, until, beganAt } } as const;
      await this.streams.onRun(command, runContext(run.order, `start ${path} ${attempt}`));
      return { tool, input, call, attempt, until };
    } catch (error) {
      const failure = preparationFailureOf(error);
      if (failure) return failure;
      throw error;
    }
  }

  /** The prices are those of the start of the run, for as long as it lasts. */
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
    const needed = need.lines.map((line) => ({ ...line, step: path }));
    const lines = missingOf(run.hold?.lines ?? [], needed);
    if (lines.length > 0) await this.funds.add(run, path, { lines, rateCardVersion });
  }

  #untilOf({ node: { timeOutMs } }: RunNode): string | null {
    if (timeOutMs === null) return null;
    return new Date(this.clock.now() + timeOutMs).toISOString();
  }

  async #outcome(ready: ReadyCall, signal: AbortSignal) {
    const { tool, input, call, until } = ready;
    const leftMs = until === null ? null : Date.parse(until) - this.clock.now();
    if (leftMs !== null && leftMs <= 0) return timedOut(`the tool ${tool}`);
    const timeOut = leftMs === null ? null : AbortSignal.timeout(leftMs);
    const either = timeOut ? AbortSignal.any([signal, timeOut]) : signal;
    try {
      const running = this.tools.run(tool, input, { ...call, signal: either });
      return await abandoned(running, either);
    } catch (error) {
      if (timeOut?.aborted) return timedOut(`the tool ${tool}`);
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

  async #complete(
    run: StartedRun,
    node: string,
    attempt: number,
    { output: value, used, counters }: ToolOutcome<unknown>,
  ): Promise<void> {
    const { runId, accountId } = run.order;
    const bytes = Buffer.byteLength(JSON.stringify(value ?? null));
    if (bytes > OUTPUT_BYTES_MAX) {
      const message = `the output has ${bytes} bytes of JSON; at most ${OUTPUT_BYTES_MAX} are kept`;
      await this.#fail(run, node, attempt, finalFailure('output_too_large', message));
      return;
    }
    const output = await this.blobs.put(accountId, value, runHolder(runId));
    const endedAt = instant(this.clock);
    const result = { output, chosen: null, used: [...used], counters: { ...counters }, endedAt };
    const data = { runId, node, attempt, ...result };
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
    const leave = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    running.finally(() => signal.removeEventListener('abort', leave)).then(resolve, reject);
  });
