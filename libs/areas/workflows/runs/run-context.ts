import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';

/** For the actor of commands that follow from the state of a run. */
export const WORKFLOWS_ACTOR = 'saga:workflows';

/** A command of the process manager: its ids derive from the run, so a repeat has the same ones. */
export const runContext = ({ runId }: { readonly runId: string }, what: string): CommandContext =>
  followUp({ id: runId, correlationId: runId }, what, WORKFLOWS_ACTOR);
