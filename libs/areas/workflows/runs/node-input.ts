import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  ApprovalParameters,
  BranchParameters,
  MapParameters,
  WaitParameters,
} from '../definition/control-nodes.js';
import { referencesIn, resolved, type Scope } from '../definition/templates.js';
import { WorkflowDocument } from '../definition/workflow-document.js';
import { WorkflowBlobs } from '../workflow-blobs.js';
import { itemPath, type RunNode, type StartedRun } from './workflow-run.state.js';

export const Inputs = z.record(z.string(), z.string());

/** What the definition of a run and its inputs say; read once for all nodes. */
export interface RunTexts {
  readonly document: WorkflowDocument;
  readonly inputs: z.infer<typeof Inputs>;
}

/** Reads what nodes say and what they have brought, and puts references in place. */
@Injectable()
export class NodeInputs {
  constructor(private readonly blobs: WorkflowBlobs) {}

  /** @throws BlobError when it is no longer kept */
  async textsOf({ order: { accountId, definition, inputs } }: StartedRun): Promise<RunTexts> {
    return {
      document: await this.blobs.read(accountId, definition, WorkflowDocument),
      inputs: await this.blobs.read(accountId, inputs, Inputs),
    };
  }

  /**
   * The input of the tool that a node calls.
   * @throws TemplateError for a value that is not there; ZodError; BlobError
   */
  async ofCall(run: StartedRun, texts: RunTexts, { node, item }: RunNode): Promise<unknown> {
    const parameters = parametersOf(texts, node.name);
    if (item === null) return resolved(parameters, await this.#scope(run, texts, parameters));
    const { parameters: ofItem } = parameters;
    const items = await this.itemsOf(run, texts, node.name);
    const scope = await this.#scope(run, texts, ofItem);
    return resolved(ofItem, { ...scope, item: items[item], index: item });
  }

  /** @throws TemplateError; ZodError where the value is no list; BlobError */
  async itemsOf(run: StartedRun, texts: RunTexts, name: string): Promise<readonly unknown[]> {
    const { items } = parametersOf(texts, name);
    const scope = await this.#scope(run, texts, items);
    return MapParameters.shape.items.parse(resolved(items, scope), { reportInput: false });
  }

  /** @throws TemplateError; ZodError; BlobError */
  async ofBranch(run: StartedRun, texts: RunTexts, name: string) {
    return BranchParameters.parse(await this.#resolved(run, texts, name));
  }

  /** @throws TemplateError; ZodError; BlobError */
  async ofWait(run: StartedRun, texts: RunTexts, name: string) {
    return WaitParameters.parse(await this.#resolved(run, texts, name));
  }

  /** @throws TemplateError; ZodError; BlobError */
  async ofApproval(run: StartedRun, texts: RunTexts, name: string) {
    return ApprovalParameters.parse(await this.#resolved(run, texts, name));
  }

  /** What a node has brought: of a control node, what it decided. Null where there is nothing. */
  async outputOf({ order: { accountId } }: StartedRun, one: RunNode): Promise<unknown> {
    const { end, status, node } = one;
    if (end?.output) return this.blobs.read(accountId, end.output, z.unknown());
    if (end?.chosen) return { chosen: end.chosen };
    if (node.kind === 'approval' && one.item === null) return { approved: status === 'succeeded' };
    return null;
  }

  /** The outputs of the items of a map node, in order; null for one without. */
  outputsOfItems(run: StartedRun, { node, items }: RunNode): Promise<readonly unknown[]> {
    const numbers = Array.from({ length: items ?? 0 }, (_, item) => item);
    return Promise.all(
      numbers.map(async (item) => {
        const one = run.nodes.get(itemPath(node.name, item));
        return one ? this.outputOf(run, one) : null;
      }),
    );
  }

  async #resolved(run: StartedRun, texts: RunTexts, name: string): Promise<unknown> {
    const parameters = parametersOf(texts, name);
    return resolved(parameters, await this.#scope(run, texts, parameters));
  }

  /** Only the outputs that the value refers to are read. */
  async #scope(run: StartedRun, { inputs }: RunTexts, value: unknown): Promise<Scope> {
    const names = referencesIn(value).flatMap(({ path: [root, name] }) =>
      root === 'nodes' ? String(name) : [],
    );
    const nodes = await Promise.all(
      [...new Set(names)].map(async (name) => {
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
