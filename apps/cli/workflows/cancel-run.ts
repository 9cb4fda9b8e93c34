import { ChangeRunCommand } from '#areas/workflows/runs/change-run.handler.js';
import { RunQuery } from '#areas/workflows/runs/run.queries.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { runFieldsOf } from './run-fields.js';
import { WORKFLOW_NEEDS } from './workflow-needs.js';

export interface CancelRunOptions extends CommonOptions {
  readonly id: string;
}

/** Works without a gateway: the next one that starts settles the run and does not carry it on. */
export const cancelRun = async (
  { id }: CancelRunOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { run } = await withQuipu(invocation, WORKFLOW_NEEDS, async (quipu) => {
    const { commands, queries, context } = quipu;
    await commands.execute(new ChangeRunCommand(id, 'admin', 'cancel', context()));
    return queries.execute(new RunQuery(id, 'admin'));
  });
  const { order, status, endedAt, settlement } = run;
  const amountMicroUsd = settlement?.amountMicroUsd ?? null;
  return {
    json: runFieldsOf({ ...order, status, endedAt, amountMicroUsd }),
    text: `Run ${order.runId} of workflow ${order.workflowId} is ${status}.`,
  };
};
