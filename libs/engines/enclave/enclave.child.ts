/**
 * The enclave process: it opens sealed messages, and runs prompts through llama.cpp. It inherits no
 * standard output, so nothing that it prints reaches the log of the gateway. Erasable syntax, as in
 * the child of language models.
 */
import { createHash, hkdfSync, randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type {
  EnclaveFailure,
  EnclaveResult,
  EnclaveTask,
  FromEnclave,
  Measurement,
} from '#engines/enclave/enclave.protocol.js';
import {
  deriveHpkeKey,
  type HpkeKeyPair,
  openMessage,
  sealReply,
  spkiOf,
  UnsealableError,
} from '#engines/enclave/hpke.js';
import { measureSelf } from '#engines/enclave/measured-build.js';
import { type Prompt, promptOf } from '#engines/enclave/sealed-prompt.js';
import { generate } from '#engines/language-model/child/generation.js';
import { Job } from '#engines/language-model/child/job.js';
import { disposeLlama } from '#engines/language-model/child/llama-runtime.js';
import { ReportedError } from '#engines/language-model/child/reported.error.js';
import { ResidentModels } from '#engines/language-model/child/resident-models.js';
import { stopStrings } from '#engines/language-model/stop-strings.js';
import type { FromChild, ToChild } from '#engines/language-model/language-model.protocol.js';

type TaskOf<Kind extends EnclaveTask['kind']> = Extract<EnclaveTask, { readonly kind: Kind }>;

class EnclaveFailedError extends Error {
  readonly code: EnclaveFailure;

  constructor(code: EnclaveFailure, message: string) {
    super(message);
    this.code = code;
  }
}

/** The process after its first task. */
interface Started {
  readonly key: HpkeKeyPair;
  readonly modelFile: string | null;
  readonly models: ResidentModels;
}

let started: Started | undefined;
const cancelled = new Map<number, AbortController>();

const send = (message: FromEnclave): void => {
  process.send?.([message]);
};

/** Software with another measurement derives another key from the same seed. */
const seedOf = (seed: Uint8Array, log: readonly Measurement[]): Buffer => {
  const measured = createHash('sha256').update(JSON.stringify(log)).digest();
  return Buffer.from(hkdfSync('sha256', seed, measured, 'quipu/enclave-key/1', 32));
};

const start = async (task: TaskOf<'start'>): Promise<EnclaveResult> => {
  const { seed, modelFile, contextTokensMax } = task;
  const log = await measureSelf(fileURLToPath(import.meta.url), modelFile);
  const key = await deriveHpkeKey(seedOf(seed, log));
  const models = new ResidentModels({
    loadedModelsMax: 1,
    contextTokensMax,
    sequencesMax: 1,
    contextBytesMax: 1_073_741_824,
    batchedModelBytesMin: Number.MAX_SAFE_INTEGER,
    adaptersMax: 0,
    unreadDeltasMax: Number.MAX_SAFE_INTEGER,
  });
  started = { key, modelFile, models };
  return { kind: 'start', spki: await spkiOf(key), log };
};

const demandStarted = (): Started => {
  if (started === undefined) throw new Error('the enclave process has no key yet');
  return started;
};

const infer = async (id: number, task: TaskOf<'infer'>): Promise<EnclaveResult> => {
  const { key, modelFile, models } = demandStarted();
  if (modelFile === null) throw new EnclaveFailedError('model_missing', 'the enclave has no model');
  const exchange = await openMessage(key, task.info, task.aad, task.message);
  const prompt = promptOf(exchange.bytes);
  if (typeof prompt === 'string') throw new EnclaveFailedError('prompt_invalid', prompt);
  const answer = await answerOf(id, task, prompt, models, modelFile);
  const { text, finishReason } = answer;
  const reply = Buffer.from(JSON.stringify({ content: text, finish_reason: finishReason }));
  return {
    kind: 'infer',
    reply: sealReply(exchange, reply),
    promptTokens: answer.promptTokens,
    completionTokens: answer.completionTokens,
    finishReason,
  };
};

const answerOf = async (
  id: number,
  { maxTokens, promptTokensMax }: TaskOf<'infer'>,
  { messages, temperature, topP, seed }: Prompt,
  models: ResidentModels,
  modelFile: string,
) => {
  let [promptTokens, completionTokens, text] = [0, 0, ''];
  let finishReason: 'stop' | 'length' = 'stop';
  let stops = stopStrings([]);
  const job: Job = new Job(id, Number.MAX_SAFE_INTEGER, (letter: FromChild) => {
    if (letter.type === 'prompt') {
      promptTokens = letter.promptTokens;
      stops = stopStrings(letter.stopTexts);
      if (promptTokens > promptTokensMax) job.cancel();
    } else if (letter.type === 'delta') {
      const { text: shown, stopped } = stops.push(letter.text);
      text += shown;
      if (stopped) job.stop(0);
    } else if (letter.type === 'ended') {
      completionTokens = letter.completionTokens;
      finishReason = letter.finishReason === 'length' ? 'length' : 'stop';
    }
  });
  const signal = cancelled.get(id)?.signal;
  signal?.addEventListener('abort', () => job.cancel());
  if (signal?.aborted === true) job.cancel();
  const fileVersion = 'measured';
  const task = {
    ...{ modelFile, fileVersion, messages, maxTokens, temperature, topP },
    ...{ seed: seed ?? randomInt(2 ** 32), choices: 1 },
  };
  await models.withModel(task, (loaded) => generate(job, task, loaded));
  if (promptTokens > promptTokensMax) {
    const detail = `the prompt has ${promptTokens} tokens, and ${promptTokensMax} are paid for`;
    throw new EnclaveFailedError('prompt_too_long', detail);
  }
  text += stops.flush();
  return { text, promptTokens, completionTokens, finishReason };
};

const run = async (id: number, task: EnclaveTask): Promise<EnclaveResult> => {
  switch (task.kind) {
    case 'start':
      return start(task);
    case 'open': {
      const opened = await openMessage(demandStarted().key, task.info, task.aad, task.message);
      return { kind: 'open', plaintext: opened.bytes };
    }
    case 'infer':
      return infer(id, task);
  }
};

const codeOf = (
  error: unknown,
): Pick<Extract<FromEnclave, { type: 'failed' }>, 'code' | 'message'> => {
  if (error instanceof EnclaveFailedError) return { code: error.code, message: error.message };
  if (error instanceof UnsealableError) return { code: 'unsealable', message: error.message };
  if (error instanceof ReportedError && error.failure.code === 'prompt_too_long') {
    const { promptTokens, contextTokens } = error.failure;
    const message = `the prompt has ${promptTokens} tokens, and the context ${contextTokens}`;
    return { code: 'prompt_too_long', message };
  }
  // The text of another error could quote the prompt.
  return { code: 'model_failed', message: 'the model failed' };
};

const answer = async (id: number, task: EnclaveTask): Promise<void> => {
  cancelled.set(id, new AbortController());
  try {
    send({ type: 'done', id, result: await run(id, task) });
  } catch (error) {
    send({ type: 'failed', id, ...codeOf(error) });
  } finally {
    cancelled.delete(id);
  }
};

const hear = (message: ToChild<EnclaveTask>): void => {
  switch (message.type) {
    case 'generate':
      void answer(message.id, message.task);
      return;
    case 'cancel':
      cancelled.get(message.id)?.abort();
      return;
    case 'read':
    case 'stop':
      return;
    case 'close':
      void disposeLlama().then(() => process.disconnect());
      return;
  }
};

process.on('message', (messages) => {
  for (const message of messages as readonly ToChild<EnclaveTask>[]) hear(message);
});

// A terminal sends its signals to the whole group; the parent drains and then says `close`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(0));
