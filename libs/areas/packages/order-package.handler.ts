import { setTimeout as sleep } from 'node:timers/promises';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type UserId } from '#events/vocabulary.js';
import { JobId } from '#events/jobs/job.events.js';
import { type PackageHoldEvidence } from '#events/packages/package.evidence.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { contentOf } from './archive/content.js';
import { readVerifiers } from './archive/read-verifiers.js';
import { archiveBytesOf } from './archive/tar.js';
import { packageJob } from './package.job.js';
import { bytePriceOf, PACKAGE_METER } from './packages.products.js';
import { reject } from './packages.errors.js';
import { PACKAGE_SETTINGS, type PackageSettings } from './packages.settings.js';
import { type ResidentModel, ResidentModels } from './resident-models.port.js';
import { type ShownPackage, showPackage } from './shown-package.js';
import { StoredPackages } from './stored-packages.js';

export interface PackageOrder {
  readonly accountId: string;
  readonly userId: UserId;
  readonly packageName: string;
  readonly modelSource: string;
  readonly hardwareArchitecture: string | null;
  readonly licenceDays: number;
}

const DAY_MS = 86_400_000;
const POLL_MS = 50;

/**
 * Holds the price, submits the job, records the order, and waits for the package for a while. The
 * id of the request is the id of the package and of its job: a repetition is the same package.
 */
export class OrderPackageCommand extends Command<ShownPackage> {
  constructor(
    readonly order: PackageOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(OrderPackageCommand)
export class OrderPackageHandler implements ICommandHandler<OrderPackageCommand> {
  constructor(
    private readonly models: ResidentModels,
    private readonly packages: StoredPackages,
    private readonly prices: MeterPrices,
    private readonly jobs: Jobs,
    @Inject(PACKAGE_SETTINGS) private readonly settings: PackageSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError; `insufficient_balance`, `too_many_jobs` */
  async execute({ order, context }: OrderPackageCommand): Promise<ShownPackage> {
    const { accountId, userId, packageName, hardwareArchitecture, licenceDays } = order;
    const model = await this.#packable(order);
    const jobId = JobId.parse(context.requestId);
    const nowMs = this.clock.now();
    const verifiers = await readVerifiers(this.settings.verifierFolder);
    const estimatedBytes = archiveBytesOf(contentOf(model, hardwareArchitecture, verifiers));
    const ordered = {
      packageUuid: jobId,
      accountId,
      userId,
      packageName,
      model: model.modelId,
      modelSha256: model.sha256,
      hardwareArchitecture,
      licenceDays,
      estimatedBytes,
      orderedAt: new Date(nowMs).toISOString(),
      dropAt: new Date(nowMs + this.settings.downloadDays * DAY_MS).toISOString(),
    };
    const price = bytePriceOf(this.prices.inForce(nowMs), PACKAGE_METER);
    const { packagesMax } = this.settings;
    await this.packages.demandRoom(ordered, packagesMax);
    const summary = { packageName, model: model.modelId, hardwareArchitecture, estimatedBytes };
    const evidence: PackageHoldEvidence = { ...summary, modelSha256: model.sha256 };
    const hold = {
      lines: [price.lineOf(estimatedBytes)],
      rateCardVersion: price.rateCardVersion,
      evidence,
    };
    const input = { order: ordered, packagesMax };
    await this.jobs.submit(packageJob, { jobId, accountId, input, summary, hold }, context);
    await this.packages.order(ordered, packagesMax, context);
    return this.#awaited(accountId, jobId);
  }

  async #packable({ modelSource, accountId }: PackageOrder): Promise<ResidentModel> {
    const model = await this.models.find(modelSource, accountId);
    const { modelBytesMax } = this.settings;
    if (model.bytes <= modelBytesMax) return model;
    const detail = `the model has ${model.bytes} bytes, and at most ${modelBytesMax} are packaged`;
    return reject('package_too_large', detail);
  }

  async #awaited(accountId: string, packageUuid: string): Promise<ShownPackage> {
    const endsAt = performance.now() + this.settings.waitMsMax;
    for (;;) {
      const found = await this.packages.find(accountId, packageUuid);
      if (found.ready || performance.now() >= endsAt) return showPackage(found, this.packages);
      await sleep(POLL_MS);
    }
  }
}
