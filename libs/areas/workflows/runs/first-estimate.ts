import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type WorkflowRunStarted } from '#events/workflows/workflow-run.events.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type ToolCall } from '#platform/tools/tool.js';
import { Tools } from '#platform/tools/tools.js';
import {
  bytesOf,
  EXPANSION_BYTES_MAX,
  referencesIn,
  resolved,
  type Scope,
  TemplateError,
} from '../definition/templates.js';
import { ITEMS_MAX } from '../definition/control-nodes.js';
import { STEP_METER } from '../workflow.product.js';
import { reject } from '../workflows.errors.js';
import { callIdOf } from './node-calls.js';
import { RUN_EXPANSION_BYTES_MAX, type RunTexts } from './node-input.js';
import { type Need } from './run-funds.js';

type Order = Omit<WorkflowRunStarted['data'], 'definition' | 'inputs'>;

const never = new AbortController().signal;

/**
 * The worst case of the attempts of all nodes, and of the calls of the nodes that refer to no other
 * node: their input is known before the run. The hold grows by the other calls when they are about
 * to begin.
 */
@Injectable()
export class FirstEstimate {
  constructor(
    private readonly tools: Tools,
    private readonly prices: MeterPrices,
  ) {}

  /**
   * Null when nothing costs anything yet.
   * @throws DomainError `workflow_inputs_invalid` for a call that its tool refuses
   */
  async of(order: Order, { document, inputs }: RunTexts): Promise<Need | null> {
    const scope = { inputs, run: { id: order.runId } };
    const steps = this.#steps(order);
    const needs: Need[] = steps ? [steps] : [];
    let bytes = 0;
    for (const { name, tool, kind } of order.plan.nodes) {
      const parameters = document.nodes.find((node) => node.name === name)?.parameters ?? {};
      if (tool === null || kind === 'map' || refersToNodes(parameters)) continue;
      const call = {
        id: callIdOf(order.runId, name),
        accountId: order.accountId,
        actor: order.startedBy,
        requestId: order.runId,
        pricedAtMs: Date.parse(order.startedAt),
        signal: never,
      };
      // The process answers other requests between the nodes.
      await nextTurn();
      const input = resolvedOf(name, parameters, scope);
      bytes += input.bytes;
      if (bytes > RUN_EXPANSION_BYTES_MAX) rejectLarge();
      const estimate = await this.#estimate(tool, input.value, name, call);
      const { rateCardVersion } = estimate;
      if (rateCardVersion === null) continue;
      needs.push({
        lines: estimate.lines.map((line) => ({ ...line, step: name })),
        rateCardVersion,
      });
    }
    const [first] = needs;
    if (!first) return null;
    const { rateCardVersion } = first;
    return { lines: needs.flatMap(({ lines }) => lines), rateCardVersion };
  }

  /** One line for the whole run; null where its catalog has no price for attempts. */
  #steps({ plan, startedAt }: Order): Need | null {
    const list = this.prices.inForce(Date.parse(startedAt));
    const price = list?.prices.get(STEP_METER);
    if (!list || !price) return null;
    const quantity = plan.nodes.reduce(
      (sum, { kind, attemptsMax }) => sum + attemptsMax * (kind === 'map' ? 1 + ITEMS_MAX : 1),
      0,
    );
    const { rateCardVersion } = list;
    return { lines: [{ meter: STEP_METER, quantity, ...price }], rateCardVersion };
  }

  async #estimate(tool: string, input: unknown, node: string, call: ToolCall) {
    try {
      return await this.tools.estimate(tool, input, call);
    } catch (error) {
      const failure = this.tools.failureOf(error);
      if (!failure) throw error;
      const { code, message } = failure;
      const detail = `the node ${node} cannot run: ${message}`;
      return reject('workflow_inputs_invalid', detail, `nodes.${node}`, { code });
    }
  }
}

const rejectLarge = (): never =>
  reject(
    'workflow_inputs_invalid',
    `with these inputs, the nodes expand to more than ${RUN_EXPANSION_BYTES_MAX} bytes`,
  );

const resolvedOf = (node: string, parameters: unknown, scope: Scope) => {
  try {
    return {
      bytes: bytesOf(parameters, scope, EXPANSION_BYTES_MAX),
      value: resolved(parameters, scope),
    };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const detail = `the node ${node} cannot run: ${error.message}`;
    return reject('workflow_inputs_invalid', detail, `nodes.${node}`);
  }
};

const refersToNodes = (parameters: unknown): boolean =>
  referencesIn(parameters).some(({ path: [root] }) => root === 'nodes');
