import { readFile } from 'node:fs/promises';
import { StoreDefinitionCommand } from '#areas/workflows/definition/store-definition.handler.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';
import { WORKFLOW_NEEDS } from './workflow-needs.js';

export interface StoreWorkflowOptions extends CommonOptions {
  readonly user: string;
  readonly file: string;
  /** Of a new workflow. */
  readonly name?: string;
  /** Of the workflow that gets a further version. */
  readonly id?: number;
}

export const storeWorkflow = async (
  { user, file, name = '', id }: StoreWorkflowOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const definition = await definitionIn(file);
  const target = id === undefined ? { name } : { workflowId: id };
  const stored = await withQuipu(invocation, WORKFLOW_NEEDS, async (quipu) => {
    const { commands, queries, context } = quipu;
    const accountId = await accountOf({ queries }, user);
    const command = new StoreDefinitionCommand(accountId, target, definition, context());
    return commands.execute(command);
  });
  const { workflow, version } = stored;
  return {
    json: { workflow_id: workflow.workflowId, name: workflow.name, version },
    text: `Workflow ${workflow.workflowId} (${workflow.name}) has version ${version}.`,
  };
};

const definitionIn = async (file: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new CommandFailure('bad_definition', `--file: ${file} ${reason}`, EXIT.usage, { cause });
  }
};
