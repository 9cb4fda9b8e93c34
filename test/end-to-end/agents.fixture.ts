import path from 'node:path';
import { completionOf, json, type Script, statement } from '#areas/inference/rigs/upstream.fake.js';
import { scriptedCatalog } from './quipu.harness.js';

const NANO = path.resolve(import.meta.dirname, '../../models/nano.gguf');

/** The scripted planner, and the built-in model. */
export const catalogOf = (baseUrl: string): string =>
  `${scriptedCatalog(baseUrl).replace('rigs:\n', 'rigs:\n  - { name: built-in, kind: embedded }\n')}
  - { id: quipu/nano, upstream_id: nano, owned_by: quipu, rigs: [built-in], context: 1024,
      max_output: 128, file: ${NANO}, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 3 } }
`;

export interface Session {
  readonly session_id: string;
  readonly status: string;
  readonly stop_reason: string | null;
  readonly total_steps: number;
  readonly tools_executed: readonly string[];
  readonly final_output: string | null;
  readonly tokens_consumed: number;
}

export const PROMPT_TOKENS = 100;
export const ANSWER_TOKENS = 10;
const usage = statement(PROMPT_TOKENS, ANSWER_TOKENS);

/** A planner that calls a function. */
export const calling = (name: string, input: object): Script => {
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  };
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  return json(200, {
    ...completionOf('', usage),
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  });
};

/** A model that answers. @param details of its usage */
export const saying = (text: string, details: object = {}): Script =>
  json(200, completionOf(text, { ...usage, ...details }));
