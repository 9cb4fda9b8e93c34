import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { JobId } from '#events/jobs/job.events.js';
import { type RentalHoldEvidence } from '#events/rentals/rental.evidence.js';
import { type RentalSummary } from '#events/rentals/rental.job.js';
import { type JobOrder, Jobs } from '#platform/jobs/jobs.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { PortPool } from './ports/port-pool.js';
import { type ReservedBlock } from './ports/port-pool.decider.js';
import { type RentalInput } from './rental-input.js';
import { AHEAD_SECONDS, rentalJob } from './rental.job.js';
import { SECONDS_PER_PRICE } from './rental.product.js';
import { type RentalRate, RentalRates } from './rental-rates.port.js';
import { reject } from './rentals.errors.js';

export type RentalOrder = Pick<RentalInput, 'rig' | 'command' | 'environment' | 'image'> & {
  readonly accountId: string;
};

/**
 * Reserves ports, holds the price of the first quarter of an hour and submits the job. The id of
 * the request is the id of the rental, so a repetition is the same. Gives its number.
 */
export class StartRentalCommand extends Command<number> {
  constructor(
    readonly order: RentalOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(StartRentalCommand)
export class StartRentalHandler implements ICommandHandler<StartRentalCommand> {
  constructor(
    private readonly rates: RentalRates,
    private readonly ports: PortPool,
    private readonly jobs: Jobs,
  ) {}

  /** @throws DomainError `rig_not_for_rent`, `ports_exhausted`, and the errors of `Jobs.submit` */
  async execute({ order, context }: StartRentalCommand): Promise<number> {
    const rate = await this.rates.rateOf(order.rig);
    if (!rate) return reject('rig_not_for_rent', `the rig ${order.rig} is not for rent`);
    const rentalId = JobId.parse(context.requestId);
    const block = await this.ports.reserve(rentalId, order.accountId, context);
    try {
      await this.jobs.submit(rentalJob, jobOrderOf(rentalId, order, block, rate), context);
    } catch (error) {
      // After any other error the job may be in the log; the saga looks for it.
      if (error instanceof DomainError) {
        await this.ports.release(rentalId, 'not_submitted', context);
      }
      throw error;
    }
    return block.number;
  }
}

const jobOrderOf = (
  jobId: JobId,
  { accountId, rig, command, environment, image }: RentalOrder,
  { number, firstPort, lastPort }: ReservedBlock,
  { rateCardVersion, microUsdPerHour }: RentalRate,
): JobOrder<RentalInput> => {
  const place = { number, rig, image, firstPort, lastPort };
  const price = { unitPriceMicroUsd: microUsdPerHour, perUnits: SECONDS_PER_PRICE };
  return {
    jobId,
    accountId,
    input: { ...place, command, environment },
    summary: { ...place, microUsdPerHour } satisfies RentalSummary,
    hold: {
      lines: [{ meter: 'seconds', quantity: AHEAD_SECONDS, ...price }],
      rateCardVersion,
      evidence: { number, rig } satisfies RentalHoldEvidence,
    },
  };
};
