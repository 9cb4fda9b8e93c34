import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { holds } from '../definition/conditions.js';
import { runHolder, WorkflowBlobs } from '../workflow-blobs.js';
import { NodeInputs, type RunTexts } from './node-input.js';
import { OUTPUT_BYTES_MAX } from './node-calls.js';
import { runContext } from './run-context.js';
import { finalFailure, type NodeFailure, preparationFailureOf } from './run-failure.js';
import { itemsOf } from './run-graph.js';
import { type WorkflowRunCommand } from './workflow-run.decider.js';
import { type RunNode, type StartedRun } from './workflow-run.state.js';
import { WorkflowStreams } from './workflow-streams.js';

const MS = 1_000;

interface Place {
  readonly run: StartedRun;
  readonly texts: RunTexts;
}

type Result = Extract<WorkflowRunCommand, { type: 'CompleteNode' }>['data'];

/** The steps of nodes that call no tool: branch, map, wait, approval. */
@Injectable()
export class ControlSteps {
  constructor(
    private readonly inputs: NodeInputs,
    private readonly streams: WorkflowStreams,
    private readonly blobs: WorkflowBlobs,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Begins the node or, where it has begun, ends it. @throws an error of a store */
  async step(node: RunNode, place: Place): Promise<void> {
    const { run } = place;
    const { name } = node.node;
    const attempt = node.status === 'running' ? node.attempt : node.attempt + 1;
    try {
      const command = await this.#commandOf(node, place, { name, attempt });
      await this.streams.onRun(command, this.#context(run, command.type, name, attempt));
    } catch (error) {
      const failure = preparationFailureOf(error);
      if (!failure) throw error;
      const command = this.#failure(run, name, attempt, failure);
      await this.streams.onRun(command, this.#context(run, command.type, name, attempt));
    }
  }

  #commandOf(
    node: RunNode,
    place: Place,
    { name, attempt }: { readonly name: string; readonly attempt: number },
  ): Promise<WorkflowRunCommand> {
    if (node.status !== 'running') return this.#start(node, place, attempt);
    switch (node.node.kind) {
      case 'branch':
        return this.#branch(place, name, attempt);
      case 'map':
        return this.#gather(node, place, attempt);
      case 'approval': {
        const late = finalFailure('approval_expired', 'the approval was not decided in time');
        return Promise.resolve(this.#failure(place.run, name, attempt, late));
      }
      default:
        return Promise.resolve(this.#completion(place.run, { name, attempt }, {}));
    }
  }

  async #start(node: RunNode, { run, texts }: Place, attempt: number): Promise<WorkflowRunCommand> {
    const { name, kind } = node.node;
    const isMap = kind === 'map';
    const { length: items, bytes: expandedBytes } = isMap
      ? await this.inputs.itemsOf(run, texts, name)
      : { length: null, bytes: await this.inputs.bytesOf(run, texts, name) };
    const until = await this.#untilOf(node, { run, texts });
    const terms = { callId: null, items, expandedBytes, until, beganAt: this.#now() };
    return { type: 'StartNode', data: { runId: run.order.runId, node: name, attempt, ...terms } };
  }

  /** When a wait ends or an approval expires. A branch ends as soon as it has begun. */
  async #untilOf({ node: { name, kind } }: RunNode, { run, texts }: Place): Promise<string | null> {
    switch (kind) {
      case 'branch':
        return this.#now();
      case 'wait': {
        const { until, seconds = 0 } = await this.inputs.ofWait(run, texts, name);
        return until === undefined ? this.#in(seconds) : new Date(until).toISOString();
      }
      case 'approval': {
        const { expires_after_seconds: s } = await this.inputs.ofApproval(run, texts, name);
        return s === undefined ? null : this.#in(s);
      }
      default:
        return null;
    }
  }

  async #branch({ run, texts }: Place, name: string, attempt: number) {
    const { cases, otherwise } = await this.inputs.ofBranch(run, texts, name);
    const chosen = cases.find(({ when }) => holds(when))?.then ?? otherwise;
    return this.#completion(run, { name, attempt }, { chosen: [...new Set(chosen)] });
  }

  /** Ends a map node once its items have ended. */
  async #gather(node: RunNode, { run }: Place, attempt: number): Promise<WorkflowRunCommand> {
    const { name } = node.node;
    const items = itemsOf(run, node);
    const failed = items.filter(({ status }) => status !== 'succeeded').length;
    if (failed > 0) {
      const message = `${failed} of ${items.length} items failed`;
      return this.#failure(run, name, attempt, finalFailure('items_failed', message));
    }
    const outputs = await this.inputs.outputsOfItems(run, node);
    const bytes = Buffer.byteLength(JSON.stringify(outputs));
    if (bytes > OUTPUT_BYTES_MAX) {
      const message = `the outputs have ${bytes} bytes of JSON, more than ${OUTPUT_BYTES_MAX}`;
      return this.#failure(run, name, attempt, finalFailure('output_too_large', message));
    }
    const { accountId, runId } = run.order;
    const output = await this.blobs.put(accountId, outputs, runHolder(runId));
    return this.#completion(run, { name, attempt }, { output, counters: { items: items.length } });
  }

  #completion(
    { order: { runId } }: StartedRun,
    { name: node, attempt }: { readonly name: string; readonly attempt: number },
    result: Partial<Pick<Result, 'output' | 'chosen' | 'counters'>>,
  ): WorkflowRunCommand {
    const none = { output: null, chosen: null, used: [], counters: {} };
    const data = { runId, node, attempt, ...none, ...result, endedAt: this.#now() };
    return { type: 'CompleteNode', data };
  }

  #failure(
    { order: { runId } }: StartedRun,
    node: string,
    attempt: number,
    failure: NodeFailure,
  ): WorkflowRunCommand {
    const data = { runId, node, attempt, ...failure, failedAt: this.#now() };
    return { type: 'FailNode', data };
  }

  #context(run: StartedRun, type: string, name: string, attempt: number) {
    return runContext(run.order, `${type} ${name} ${attempt}`);
  }

  #now(): string {
    return new Date(this.clock.now()).toISOString();
  }

  #in(seconds: number): string {
    return new Date(this.clock.now() + seconds * MS).toISOString();
  }
}
