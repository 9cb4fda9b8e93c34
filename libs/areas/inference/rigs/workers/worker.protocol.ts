/**
 * What gateways and workers say to each other over the bus. Who, when and in which order stands in
 * headers; what a caller said and what a model answered stands in bodies, which are sealed.
 */
import { z } from 'zod';

/** Tasks for whichever worker takes them. A key for each attempt: another one may go elsewhere. */
export const TASKS_TOPIC = 'quipu.tasks.language-model';

/** Which tasks nobody waits for any more; every worker hears all of them. */
export const CANCELLATIONS_TOPIC = 'quipu.cancellations.language-model';

/** The group in which workers share the tasks. */
export const WORKERS_GROUP = 'quipu.workers.language-model';

/** Where one gateway hears of its tasks; keyed by task, so that pages stay in order. */
export const repliesTopicOf = (instance: string): string => `quipu.replies.${instance}`;

const RETENTION_MS = 600_000;
const RETENTION = { retentionMs: RETENTION_MS, deadLetterRetentionMs: RETENTION_MS } as const;

/**
 * How a broker keeps these topics, for an adapter that asks by topic; nothing for any other. They
 * hold nothing that anybody wants after ten minutes. Replies and cancellations have one consumer
 * each, to whom a second partition brings nothing.
 */
export const workerTopicSettings = (
  topic: string,
): {
  readonly partitions?: number;
  readonly retentionMs?: number;
  readonly deadLetterRetentionMs?: number;
} => {
  if (topic === TASKS_TOPIC) return RETENTION;
  if (topic === CANCELLATIONS_TOPIC || topic.startsWith(repliesTopicOf(''))) {
    return { ...RETENTION, partitions: 1 };
  }
  return {};
};

/** Header values are strings; instants are milliseconds since the Unix epoch. */
const Whole = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

export const TaskHeaders = z.object({
  task: z.uuid(),
  /** From 1; attempts of one task may run at once, and the first to start wins. */
  attempt: Whole,
  'reply-topic': z.string(),
  /** A worker that gets it later does not start it. */
  'take-by': Whole,
});
export type TaskHeaders = z.infer<typeof TaskHeaders>;

export const TextTask = z.strictObject({
  /** Of the GGUF file, in lower-case hex: a worker finds its own copy by it. */
  modelSha256: z.string().regex(/^[\da-f]{64}$/),
  messages: z
    .array(z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))
    .readonly(),
  maxTokens: z.int().positive(),
  temperature: z.number(),
  topP: z.number().exactOptional(),
  stop: z.array(z.string()).readonly().exactOptional(),
  seed: z.number().exactOptional(),
});
export type TextTask = z.infer<typeof TextTask>;

export const CancellationHeaders = z.object({
  task: z.uuid(),
  /** The last attempt that is meant; a later one may still be offered. */
  through: Whole,
  /** The run that goes on, as `runId` names it; empty for none. */
  except: z.string(),
});

/** One attempt at one worker. */
export const runId = (attempt: number, worker: string): string => `${attempt}@${worker}`;

export const ReplyHeaders = z.object({
  /** `beat`: still there, with nothing to hand over yet. */
  kind: z.enum(['started', 'page', 'beat', 'failed']),
  task: z.uuid(),
  attempt: Whole,
  worker: z.string(),
  /** Of the run, from 0 without a gap: a repeat is recognised by it. */
  number: Whole,
});
export type ReplyHeaders = z.infer<typeof ReplyHeaders>;
export type ReplyKind = ReplyHeaders['kind'];

/** The body of a `page`. */
export const TextPage = z.strictObject({
  /** Each as the engine handed it out, with the tokens generated up to its end. */
  pieces: z.array(z.tuple([z.string(), z.int()])),
  promptTokens: z.int(),
  /** Of the last page. */
  end: z
    .strictObject({ completionTokens: z.int(), finishReason: z.enum(['stop', 'length']) })
    .nullable(),
});
export type TextPage = z.infer<typeof TextPage>;

const TASK_FAILURE_CODES = [
  /** Of the engine. */
  'busy',
  'prompt_too_long',
  'model_file_missing',
  'model_file_invalid',
  'model_failed',
  'crashed',
  'closed',
  /** It came after its `take-by`. */
  'expired',
  /** Sealed with another master key, or not a task. */
  'unreadable',
] as const;
export const TaskFailureCode = z.enum(TASK_FAILURE_CODES);
export type TaskFailureCode = z.infer<typeof TaskFailureCode>;

/** The body of a `failed`. */
export const TaskFailure = z.strictObject({ code: TaskFailureCode, message: z.string() });
export type TaskFailure = z.infer<typeof TaskFailure>;

/** What a body is sealed beside: it opens in its own place only. */
export const taskPlace = (task: string, attempt: number): string => `task/${task}/${attempt}`;
export const replyPlace = ({ kind, task, attempt, worker, number }: ReplyHeaders): string =>
  `reply/${task}/${attempt}/${worker}/${number}/${kind}`;
