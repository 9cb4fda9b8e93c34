import { Injectable } from '@nestjs/common';
import { type WorkflowRunStarted } from '#events/workflows/workflow-run.events.js';
import { Tools } from '#platform/tools/tools.js';
import { referencesIn, resolved } from '../definition/templates.js';
import { callIdOf } from './node-calls.js';
import { type RunTexts } from './node-input.js';
import { type Need } from './run-funds.js';

type Order = Omit<WorkflowRunStarted['data'], 'definition' | 'inputs'>;

const never = new AbortController().signal;

/**
 * The worst case of the nodes whose input is known before the run: those that refer to no other
 * node. The hold grows by the others when they are about to begin.
 */
@Injectable()
export class FirstEstimate {
  constructor(private readonly tools: Tools) {}

  /** Null when nothing costs anything yet. @throws whatever the tools throw */
  async of(order: Order, { document, inputs }: RunTexts): Promise<Need | null> {
    const scope = { inputs, run: { id: order.runId } };
    const needs: Need[] = [];
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
      const estimate = await this.tools.estimate(tool, resolved(parameters, scope), call);
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
}

const refersToNodes = (parameters: unknown): boolean =>
  referencesIn(parameters).some(({ path: [root] }) => root === 'nodes');
