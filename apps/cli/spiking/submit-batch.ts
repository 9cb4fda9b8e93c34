import { readFile } from 'node:fs/promises';
import { BATCH_INPUTS_MAX } from '#areas/spiking/batches/spiking-batch.task.js';
import { SubmitSpikingBatchCommand } from '#areas/spiking/batches/submit-spiking-batch.handler.js';
import { type InputData, inputDataOf } from '#areas/spiking/input-data.js';
import { rateCards } from '#projections/catalog/rate-cards.projection.js';
import { openJobs } from '#projections/jobs/open-jobs.projection.js';
import { usage } from '../command-failure.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { pricesInForce } from '../prices-in-force.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';
import { networkAsked, type NetworkOptions } from './network-options.js';

export interface SubmitBatchOptions extends NetworkOptions {
  readonly file: string;
  readonly user: string;
}

const NEEDS = {
  areas: ['identity', 'billing', 'catalog', 'jobs', 'spiking'],
  installation: 'exists',
  projections: [openJobs, rateCards],
} as const;

/** A running server works on the job; its account is charged by the rate card in force. */
export const submitBatch = async (
  options: SubmitBatchOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const asked = networkAsked(options);
  const inputs = await inputsOf(options.file);
  const jobId = await withQuipu(invocation, NEEDS, async (quipu) => {
    const accountId = await accountOf(quipu, options.user);
    const order = { ...asked, accountId, inputs, prices: await pricesInForce(quipu) };
    return quipu.commands.execute(new SubmitSpikingBatchCommand(order, quipu.context()));
  });
  return {
    json: { job_id: jobId, inputs: inputs.length },
    text:
      `Job ${jobId} with ${inputs.length} inputs was submitted; ` +
      `follow it by: jobs show ${jobId} --watch`,
  };
};

/** @throws CommandFailure `usage` that names the line; DomainError `snn_input_invalid` */
const inputsOf = async (file: string): Promise<readonly InputData[]> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usage(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  });
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) throw usage(`${file}: is empty`);
  if (lines.length > BATCH_INPUTS_MAX) {
    throw usage(`${file}: has more than ${BATCH_INPUTS_MAX} inputs`);
  }
  return lines.map((line, index) => inputDataOf(jsonOf(line, index), `line ${index + 1}`));
};

const jsonOf = (line: string, index: number): unknown => {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw usage(`line ${index + 1} is no JSON`);
  }
};
