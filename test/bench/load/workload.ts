/** The request to every peer, and the condition for an answer to count. */
export const CONTENT_CHUNKS = 20;

/** The name the upstream serves; Quipu sells it under its own. */
export const UPSTREAM_MODEL = 'llama-70b';

export interface Workload {
  readonly connections: number;
  readonly streaming: boolean;
  /** Bytes of the prompt, about. Default: a short question. */
  readonly promptBytes?: number;
  /** Milliseconds between the chunks of a stream. Default: none. */
  readonly paceMs?: number;
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

/** Code and prose as prompts have them: with quotes and ends of lines. */
const LINE = 'const knot = { colour: "red", cords: 12 }; // An account of maize, by province.\n';

const promptOf = (bytes: number): string => LINE.repeat(Math.ceil(bytes / LINE.length));

const asked = (promptBytes: number | undefined) =>
  promptBytes === undefined
    ? question
    : { ...question, messages: [{ role: 'user', content: promptOf(promptBytes) }] };

/** The upstream takes the seed for the pace, since gateways hand it on as it is. */
export const requestBody = (
  model: string,
  streaming: boolean,
  promptBytes?: number,
  paceMs?: number,
): string =>
  JSON.stringify({
    model,
    ...asked(promptBytes),
    ...(paceMs === undefined ? {} : { seed: paceMs }),
    ...(streaming ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
