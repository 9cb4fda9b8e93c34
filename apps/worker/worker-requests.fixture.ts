import { type TextRequest } from '#areas/inference/rigs/embedded-request.js';
import { type TextEngine } from '#areas/inference/rigs/embedded-rig.js';
import { drain } from '#platform/tasks/drain.fixture.js';
import { NANO } from './worker.fixture.js';
import { asOperator } from '../operations/operations.fixture.js';

/** The signal of a caller that does not leave. */
export const never = new AbortController().signal;

export const asking = (content: string, more: Partial<TextRequest> = {}): TextRequest => ({
  modelFile: NANO,
  messages: [{ role: 'user', content }],
  maxTokens: 64,
  temperature: 0.8,
  seed: 42,
  ...more,
});

/** Generates until the context is full. */
export const LONG = asking('Hello!', { maxTokens: 900, temperature: 1000, seed: 4 });

export const answer = (engine: TextEngine, request: TextRequest) =>
  drain(engine.stream(request, never));

export const get = async (url: string) => {
  const response = await fetch(url, asOperator);
  return { status: response.status, text: await response.text() };
};

/** The running tasks that a worker reports. */
export const runningTasks = async (url: string): Promise<number> =>
  (JSON.parse((await get(`${url}/health/ready`)).text) as { running_tasks: number }).running_tasks;

/** The number of tasks with this outcome that a worker reports. */
export const outcomes = async (url: string, outcome: string): Promise<number> => {
  const { text } = await get(`${url}/metrics`);
  const line = new RegExp(
    `quipu_worker_tasks_total\\{engine="text",outcome="${outcome}"\\} (\\d+)`,
  ).exec(text);
  return Number(line?.[1] ?? 0);
};
