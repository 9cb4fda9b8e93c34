/** The name of the type of the job of an agent session, in the events of jobs. */
export const AGENT_JOB = 'agent-session';
