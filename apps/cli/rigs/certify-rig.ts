import { setTimeout as sleep } from 'node:timers/promises';
import { WorkerRigQuery } from '#areas/fleet/worker-rigs.queries.js';
import { type CertificationOutcome } from '#areas/rigs/certifications.queries.js';
import { CertificationOutcomeQuery } from '#areas/rigs/certifications.queries.js';
import { SubmitCertificationCommand } from '#areas/rigs/submit-certification.handler.js';
import { RigName } from '#events/catalog/rate-card.events.js';
import { stateOf } from '#projections/fleet/worker-rigs.projection.js';
import { CommandFailure, stopIfInterrupted } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { type Quipu, withQuipu } from '../quipu.context.js';
import { catalogRigs } from './catalog-rigs.js';
import { certificationJson, certificationText, RIG_NEEDS } from './certification-output.js';

export interface CertifyRigOptions extends CommonOptions {
  readonly name: string;
  /** In seconds. */
  readonly wait: number;
}

const POLL_MS = 250;

/** A running server measures; this command submits the job and waits for the certification. */
export const certifyRig = async (
  { name, wait }: CertifyRigOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const rigs = await catalogRigs(invocation);
  const isInCatalog = rigs.some((rig) => rig.name === name);
  const outcome = await withQuipu(invocation, RIG_NEEDS, async (quipu) => {
    if (!isInCatalog) await rejectAbsent(name, quipu);
    const submission = new SubmitCertificationCommand(name, quipu.context());
    const jobId = await quipu.commands.execute(submission);
    return ended(new CertificationOutcomeQuery(name, jobId), wait, quipu, invocation.signal);
  });
  if (outcome.status !== 'certified') {
    const message = `the job of the certification ended as ${outcome.status}`;
    throw new CommandFailure('not_certified', message);
  }
  const { certification } = outcome;
  return {
    json: { rig: name, certification: certificationJson(certification) },
    text: certificationText(certification),
  };
};

/** The rig of a worker must be up. */
const rejectAbsent = async (name: string, { queries }: Quipu): Promise<void> => {
  const isName = RigName.safeParse(name).success;
  const rig = isName ? await queries.execute(new WorkerRigQuery(name)) : null;
  if (!rig) throw new CommandFailure('rig_not_found', `there is no rig ${name}`);
  const state = stateOf(rig);
  if (state !== 'up') throw new CommandFailure('rig_not_up', `rig ${name} is ${state}`);
};

const ended = async (
  query: CertificationOutcomeQuery,
  waitSeconds: number,
  { queries, clock }: Quipu,
  signal: AbortSignal,
): Promise<Exclude<CertificationOutcome, { readonly status: 'pending' }>> => {
  const untilMs = clock.now() + waitSeconds * 1_000;
  for (;;) {
    stopIfInterrupted(signal);
    const outcome = await queries.execute(query);
    if (outcome.status !== 'pending') return outcome;
    if (clock.now() >= untilMs) {
      const message = `no result within ${waitSeconds} s (--wait): is a server running?`;
      const job = `the job ${query.certificationId} stays submitted`;
      throw new CommandFailure('not_certified', `${message} ${job}`);
    }
    await sleep(POLL_MS);
  }
};
