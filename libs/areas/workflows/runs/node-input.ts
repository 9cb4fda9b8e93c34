import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AccountShares } from '#platform/runtime/commands/account-shares.js';
import {
  ApprovalParameters,
  BranchParameters,
  MapParameters,
  WaitParameters,
} from '../definition/control-nodes.js';
import {
  bytesOf,
  EXPANSION_BYTES_MAX,
  ExpansionError,
  referencesIn,
  resolved,
  RunExpansionError,
  type Scope,
} from '../definition/templates.js';
import { WorkflowDocument } from '../definition/workflow-document.js';
import { WorkflowBlobs } from '../workflow-blobs.js';
import { itemPath, type RunNode, type StartedRun } from './workflow-run.state.js';

export const Inputs = z.record(z.string(), z.string());

/** The definition of a run and its inputs; read once for all nodes. */
export interface RunTexts {
  readonly document: WorkflowDocument;
  readonly inputs: z.infer<typeof Inputs>;
}

/** The size limit for the expanded values of all nodes of one run. */
export const RUN_EXPANSION_BYTES_MAX = 67_108_864;
/** The size limit for all outputs that one value refers to. */
const SCOPE_BYTES_MAX = 4_194_304;

/** The input of a tool, which takes room until it is given back. */
export interface CallInput {
  readonly input: unknown;
  readonly bytes: number;
  readonly giveBack: () => void;
}

/** A value with references, and the scope of the references. */
interface Template {
  readonly value: unknown;
  readonly scope: () => Promise<Scope>;
}

/**
 * Reads the parameters and outputs of nodes, and replaces the references. A value is counted
 * before it is made, and each is counted or made in a turn of the event loop of its own.
 */
@Injectable()
export class NodeInputs {
  /** Bytes of inputs that this process has made for calls that are under way. */
  readonly #room = new AccountShares({
    total: 67_108_864,
    perAccount: 16_777_216,
    reserve: 67_108_864,
  });
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(private readonly blobs: WorkflowBlobs) {}

  /** @throws BlobError when it is no longer kept */
  async textsOf({ order: { accountId, definition, inputs } }: StartedRun): Promise<RunTexts> {
    return {
      document: await this.blobs.read(accountId, definition, WorkflowDocument),
      inputs: await this.blobs.read(accountId, inputs, Inputs),
    };
  }

  /**
   * The input of the tool that a node calls, as soon as the process has room for it.
   * @throws TemplateError for a value that is not there, or that is too large; ZodError; BlobError;
   *   the reason of the signal
   */
  async ofCall(
    run: StartedRun,
    texts: RunTexts,
    node: RunNode,
    signal: AbortSignal,
  ): Promise<CallInput> {
    const template = this.#ofCall(run, texts, node);
    const bytes = await this.#bytesOf(template, run);
    const giveBack = await this.#room.enter(run.order.accountId, bytes, signal);
    try {
      return { input: await this.#make(template), bytes, giveBack };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  #ofCall(run: StartedRun, texts: RunTexts, { node, item }: RunNode): Template {
    const parameters = parametersOf(texts, node.name);
    if (item === null) return this.#of(run, texts, parameters);
    const { parameters: value, items } = parameters;
    const scope = async () => {
      // Of a list, no item is made but the one of the call.
      const of = this.#of(run, texts, Array.isArray(items) ? [items[item]] : items);
      const made = z.array(z.unknown()).parse(await this.#make(of));
      const own = Array.isArray(items) ? made[0] : made[item];
      return { ...(await this.#scope(run, texts, value)), item: own, index: item };
    };
    return { value, scope };
  }

  /** @throws TemplateError; ZodError where the value is no list; BlobError */
  async itemsOf(run: StartedRun, texts: RunTexts, name: string) {
    const { items } = parametersOf(texts, name);
    const template = this.#of(run, texts, items);
    const bytes = await this.#bytesOf(template, run);
    const made = await this.#make(template);
    const { length } = MapParameters.shape.items.parse(made, { reportInput: false });
    return { length, bytes };
  }

  /** @throws TemplateError; BlobError */
  bytesOf(run: StartedRun, texts: RunTexts, name: string): Promise<number> {
    return this.#bytesOf(this.#of(run, texts, parametersOf(texts, name)), run);
  }

  /** @throws TemplateError; ZodError; BlobError */
  async ofBranch(run: StartedRun, texts: RunTexts, name: string) {
    return BranchParameters.parse(await this.#ofControl(run, texts, name));
  }

  /** @throws TemplateError; ZodError; BlobError */
  async ofWait(run: StartedRun, texts: RunTexts, name: string) {
    return WaitParameters.parse(await this.#ofControl(run, texts, name));
  }

  /** @throws TemplateError; ZodError; BlobError */
  async ofApproval(run: StartedRun, texts: RunTexts, name: string) {
    return ApprovalParameters.parse(await this.#ofControl(run, texts, name));
  }

  /** The output of a node; the decision of a control node. Null where there is none. */
  async outputOf({ order: { accountId } }: StartedRun, one: RunNode): Promise<unknown> {
    const { end, status, node } = one;
    if (end?.output) return this.blobs.read(accountId, end.output, z.unknown());
    if (end?.chosen) return { chosen: end.chosen };
    if (node.kind === 'approval' && one.item === null) return { approved: status === 'succeeded' };
    return null;
  }

  /** The outputs of the items of a map node, in order; null for an item without an output. */
  outputsOfItems(run: StartedRun, { node, items }: RunNode): Promise<readonly unknown[]> {
    const numbers = Array.from({ length: items ?? 0 }, (_, item) => item);
    return Promise.all(
      numbers.map(async (item) => {
        const one = run.nodes.get(itemPath(node.name, item));
        return one ? this.outputOf(run, one) : null;
      }),
    );
  }

  #ofControl(run: StartedRun, texts: RunTexts, name: string): Promise<unknown> {
    return this.#make(this.#of(run, texts, parametersOf(texts, name)));
  }

  #of(run: StartedRun, texts: RunTexts, value: unknown): Template {
    return { value, scope: () => this.#scope(run, texts, value) };
  }

  /** @throws ExpansionError above the limit of one value, or above the rest of the run's limit */
  async #bytesOf({ value, scope }: Template, { expandedBytes }: StartedRun): Promise<number> {
    const known = await scope();
    await this.#turn();
    const bytes = bytesOf(value, known, EXPANSION_BYTES_MAX);
    if (expandedBytes + bytes <= RUN_EXPANSION_BYTES_MAX) return bytes;
    const message = `the nodes of a run expand to ${RUN_EXPANSION_BYTES_MAX} bytes at the most`;
    throw new RunExpansionError(message);
  }

  async #make({ value, scope }: Template): Promise<unknown> {
    const known = await scope();
    await this.#turn();
    return resolved(value, known);
  }

  /** One for each caller, in order: HTTP is answered in between. */
  #turn(): Promise<unknown> {
    this.#lastTurn = this.#lastTurn.then(() => nextTurn());
    return this.#lastTurn;
  }

  /** Only the outputs that the value refers to are read. */
  async #scope(run: StartedRun, { inputs }: RunTexts, value: unknown): Promise<Scope> {
    const names = new Set(
      referencesIn(value).flatMap(({ path: [root, name] }) =>
        root === 'nodes' ? String(name) : [],
      ),
    );
    const read = [...names].map((name) => run.nodes.get(name)?.end?.output?.bytes ?? 0);
    if (read.reduce((sum, bytes) => sum + bytes, 0) > SCOPE_BYTES_MAX) {
      const message = `the outputs that it refers to have more than ${SCOPE_BYTES_MAX} bytes`;
      throw new ExpansionError(message);
    }
    const nodes = await Promise.all(
      [...names].map(async (name) => {
        const one = run.nodes.get(name);
        if (!one) return [name, {}] as const;
        return [name, { status: one.status, output: await this.outputOf(run, one) }] as const;
      }),
    );
    return { inputs, nodes: Object.fromEntries(nodes), run: { id: run.order.runId } };
  }
}

const parametersOf = ({ document }: RunTexts, name: string): Readonly<Record<string, unknown>> =>
  document.nodes.find((node) => node.name === name)?.parameters ?? {};
