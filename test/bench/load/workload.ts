/** The request to every peer, and the condition for an answer to count. */
export const CONTENT_CHUNKS = 20;

/** The name the upstream serves; Quipu sells it under its own. */
export const UPSTREAM_MODEL = 'llama-70b';

export interface Workload {
  readonly connections: number;
  readonly streaming: boolean;
}

/** `10 connections, streaming`, as reports and progress lines call a workload. */
export const workloadName = ({ connections, streaming }: Workload): string =>
  `${connections} connection${connections === 1 ? '' : 's'}${streaming ? ', streaming' : ''}`;

const question = {
  messages: [
    { role: 'system', content: 'You are a terse assistant.' },
    { role: 'user', content: 'Explain in twenty words why a ledger should be append-only.' },
  ],
  max_tokens: 64,
  temperature: 0.2,
};

export const requestBody = (model: string, streaming: boolean): string =>
  JSON.stringify({
    model,
    ...question,
    ...(streaming ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
