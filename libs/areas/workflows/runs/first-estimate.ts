import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type WorkflowRunStarted } from '#events/workflows/workflow-run.events.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { type ToolCall } from '#platform/tools/tool.js';
import { Tools } from '#platform/tools/tools.js';
import {
  bytesOf,
  EXPANSION_BYTES_MAX,
  referencesIn,
  resolved,
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

/** The inputs that are made to estimate a run before it begins. */
export const ESTIMATED_BYTES_MAX = 4_194_304;

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
    private readonly processes: PaidProcesses,
  ) {}

  /**
   * Null when nothing costs anything yet. A rejected run is not charged, so it costs little: where
   * attempts have a price, an account without money is rejected first, and calls whose inputs are
   * large together are estimated when they begin.
   * @throws DomainError `workflow_inputs_invalid` for a call that its tool refuses;
   *   `insufficient_balance`
   */
  async of(order: Order, { document, inputs }: RunTexts): Promise<Need | null> {
    const scope = { inputs, run: { id: order.runId } };
    const steps = this.#steps(order);
    if (steps) await this.processes.demandFunds(order.accountId);
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
      bytes += inNode(name, () => bytesOf(parameters, scope, EXPANSION_BYTES_MAX));
      if (bytes > RUN_EXPANSION_BYTES_MAX) rejectLarge();
      if (bytes > ESTIMATED_BYTES_MAX) continue;
      const input = inNode(name, () => resolved(parameters, scope));
      const estimate = await this.#estimate(tool, input, name, call);
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

/** @throws DomainError `workflow_inputs_invalid` for a value that is not there, or too large */
const inNode = <Result>(node: string, work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const detail = `the node ${node} cannot run: ${error.message}`;
    return reject('workflow_inputs_invalid', detail, `nodes.${node}`);
  }
};

const refersToNodes = (parameters: unknown): boolean =>
  referencesIn(parameters).some(({ path: [root] }) => root === 'nodes');
