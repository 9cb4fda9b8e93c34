import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import type { GenerationTask } from '#engines/language-model/language-model.protocol.js';
import { AnswerWriter, type Writing } from '#engines/language-model/child/answer-writer.js';
import { callSyntaxOf } from '#engines/language-model/child/call-syntax.js';
import { grammarsOf } from '#engines/language-model/child/grammars.js';
import { type Job } from '#engines/language-model/child/job.js';
import { copyState } from '#engines/language-model/child/native-calls.js';
import { type Prompt, renderPrompt } from '#engines/language-model/child/prompt.js';
import { ReportedError } from '#engines/language-model/child/reported.error.js';
import { type LoadedModel } from '#engines/language-model/child/resident-models.js';
import { type Seats, type SequencePool } from '#engines/language-model/child/sequence-pool.js';

/** A long prompt is read in pieces, so that a cancellation need not wait for all of it. */
const PROMPT_PIECE_TOKENS = 256;

/**
 * Writes all choices of a task; without a token to write, it counts the prompt. Choices that get
 * sequences of one context read the prompt once.
 * @throws ReportedError, or the error of llama.cpp
 */
export const generate = async (
  job: Job,
  task: GenerationTask,
  { model, wrapper, pool }: LoadedModel,
): Promise<void> => {
  const { messages, tools } = task;
  const prompt = renderPrompt(model, wrapper, messages, tools);
  if (task.maxTokens === 0) {
    job.promptRead(prompt.ids.length, [], {});
    return;
  }
  const grammars = await grammarsOf(task);
  const calls = tools && { calls: callSyntaxOf(model, wrapper) };
  const writing: Writing = { job, task, prompt, grammars, ...calls };
  const waves: Promise<void>[] = [];
  const starting = startWaves(writing, pool, waves);
  await Promise.allSettled([starting]);
  // A failed wave has cancelled the others.
  await Promise.allSettled(waves);
  await Promise.all([starting, ...waves]);
};

const startWaves = async (
  writing: Writing,
  pool: SequencePool,
  waves: Promise<void>[],
): Promise<void> => {
  const { job, task } = writing;
  for (let next = 0; next < task.choices;) {
    const seats = await pool.acquire(task.adapter, task.choices - next, job.signal);
    if (seats.sequences.length === 0) return;
    if (next === 0) await begin(writing, seats, pool);
    const wave = writeWave(writing, seats.sequences, next, pool);
    // Awaited together with the others.
    wave.catch(() => job.cancel());
    waves.push(wave);
    next += seats.sequences.length;
  }
};

/** Reports the prompt. @throws ReportedError prompt_too_long */
const begin = async (
  { job, task, prompt, grammars }: Writing,
  { sequences, swapMs }: Seats,
  pool: SequencePool,
): Promise<void> => {
  const contextTokens = sequences[0]?.contextSize ?? 0;
  const promptTokens = prompt.ids.length;
  if (promptTokens >= contextTokens) {
    await Promise.all(sequences.map((sequence) => pool.release(sequence)));
    throw new ReportedError({ code: 'prompt_too_long', promptTokens, contextTokens });
  }
  const swap = task.adapter === undefined ? {} : { adapterSwapMs: swapMs };
  job.promptRead(promptTokens, [...prompt.stopTexts, ...grammars.stopTexts], swap);
};

const writeWave = async (
  writing: Writing,
  sequences: readonly LlamaContextSequence[],
  firstChoice: number,
  pool: SequencePool,
): Promise<void> => {
  const [reader, ...others] = sequences;
  if (reader === undefined) return;
  try {
    await readPrompt(reader, writing.prompt, writing.job);
    for (const sequence of others) await shareState(reader, sequence, writing);
    await Promise.all(
      sequences.map(async (sequence, index) => {
        await new AnswerWriter(writing, firstChoice + index, sequence).write();
        await pool.release(sequence);
      }),
    );
  } catch (error) {
    await pool.discard(reader);
    throw error;
  }
};

/** All but its last token, which the first token of the answer is drawn behind. */
const readPrompt = async (sequence: LlamaContextSequence, { ids }: Prompt, { signal }: Job) => {
  const read = ids.slice(0, -1);
  for (let at = 0; at < read.length && !signal.aborted; at += PROMPT_PIECE_TOKENS) {
    const piece: Token[] = read.slice(at, at + PROMPT_PIECE_TOKENS);
    await sequence.evaluateWithoutGeneratingNewTokens(piece);
  }
};

/** Some models keep a state that cannot be copied. */
const shareState = async (
  from: LlamaContextSequence,
  to: LlamaContextSequence,
  { prompt, job }: Writing,
): Promise<void> => {
  if (await copyState(from, to)) return;
  await to.clearHistory();
  await readPrompt(to, prompt, job);
};
