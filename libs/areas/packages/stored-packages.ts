import { Inject, Injectable } from '@nestjs/common';
import {
  type PackageEvent,
  packageEvents,
  type PackageOrdered,
  type PackageReady,
  type PackageSealed,
} from '#events/packages/package.events.js';
import { type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import {
  type AccountPackages,
  demandRoom,
  type PackageCommand,
  packageDecider,
  type PackageState,
} from './package.decider.js';
import { type OnPackage } from './package-content.saga.js';
import { notFound } from './packages.errors.js';

const LICENCE_FIELD = 'package.licence';

/** The packages of an account, and the position of the log that they reflect. */
export interface ListedPackages {
  readonly packages: readonly PackageState[];
  readonly position: bigint;
}

/** Packages as events of their account, and their content as blobs. */
@Injectable()
export class StoredPackages {
  readonly #runner: CommandRunner<PackageCommand, AccountPackages, PackageEvent>;

  constructor(
    private readonly blobs: Blobs,
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'subjects'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    const decider = packageDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(packageEvents) });
  }

  /** @throws DomainError `package_not_found`, also for the package of another account */
  async find(accountId: string, packageUuid: string): Promise<PackageState> {
    const { state } = await this.#runner.stateOf(streamOf(accountId));
    return state.get(packageUuid) ?? notFound(packageUuid);
  }

  /** The newest first. */
  async list(accountId: string): Promise<ListedPackages> {
    const { state, position } = await this.#runner.stateOf(streamOf(accountId));
    return { packages: [...state.values()].reverse(), position };
  }

  /** Before any money is held. @throws DomainError `package_limit_reached` */
  async demandRoom({ accountId, packageUuid }: OnPackage, packagesMax: number): Promise<void> {
    const { state } = await this.#runner.stateOf(streamOf(accountId));
    if (!state.has(packageUuid)) demandRoom(state, packagesMax);
  }

  /** A repeat changes nothing. @throws DomainError `package_limit_reached` */
  async order(
    order: PackageOrdered['data'],
    packagesMax: number,
    context: CommandContext,
  ): Promise<void> {
    const command = { type: 'OrderPackage', data: { order, packagesMax } } as const;
    await this.#runner.run(streamOf(order.accountId), command, context);
  }

  /** Records the packaging, and retains its content. A repeat gives the first one. */
  async seal(data: PackageSealed['data'], context: CommandContext): Promise<PackageState> {
    await this.#runner.run(streamOf(data.accountId), { type: 'SealPackage', data }, context);
    await this.settleContent(data);
    return this.find(data.accountId, data.packageUuid);
  }

  async finish(data: PackageReady['data'], context: CommandContext): Promise<void> {
    await this.#runner.run(streamOf(data.accountId), { type: 'FinishPackage', data }, context);
    await this.settleContent(data);
  }

  async expire({ accountId, packageUuid }: OnPackage, context: CommandContext): Promise<void> {
    const data = { packageUuid, expiredAt: instant(this.clock) };
    await this.#runner.run(streamOf(accountId), { type: 'ExpirePackage', data }, context);
    await this.settleContent({ accountId, packageUuid });
  }

  /** Retains the content of a package, and releases that of an expired one. */
  async settleContent({ accountId, packageUuid }: OnPackage): Promise<void> {
    const found = await this.find(accountId, packageUuid);
    for (const blob of blobsOf(found)) {
      if (found.isExpired) await this.blobs.release(blob, holderOf(packageUuid));
      else await this.blobs.retainOrReport(blob, holderOf(packageUuid));
    }
  }

  sealLicence({ userId }: PackageOrdered['data'], token: string): Promise<string> {
    return this.secrets.subjects.seal(subjectOf(userId), LICENCE_FIELD, token);
  }

  /** Null before the package is ready, and once the user was erased. */
  async licenceOf({ order, ready }: PackageState): Promise<string | null> {
    if (!ready) return null;
    const { sealedLicence } = ready;
    return this.secrets.subjects.open(subjectOf(order.userId), LICENCE_FIELD, sealedLicence);
  }

  /** The timer of a package may be late. */
  isExpired({ isExpired, ready }: PackageState): boolean {
    return isExpired || (ready !== null && Date.parse(ready.downloadUntil) <= this.clock.now());
  }
}

const streamOf = (accountId: string): string => `packages-${accountId}`;

const holderOf = (packageUuid: string): string => `package:${packageUuid}`;

/** The subject of the key of a user, as the identity area erases it. */
export const subjectOf = (userId: number): string => `user:${userId}`;

export const archiveBlobOf = (
  { userId }: PackageOrdered['data'],
  { archiveBlob, isOwned }: Pick<PackageSealed['data'], 'archiveBlob' | 'isOwned'>,
): BlobRef => ({ address: archiveBlob, owner: isOwned ? subjectOf(userId) : null });

export const restBlobOf = (
  { userId }: PackageOrdered['data'],
  { restBlob }: Pick<PackageReady['data'], 'restBlob'>,
): BlobRef => ({ address: restBlob, owner: subjectOf(userId) });

const blobsOf = ({ order, sealed, ready }: PackageState): readonly BlobRef[] => [
  ...(sealed ? [archiveBlobOf(order, sealed)] : []),
  ...(ready ? [restBlobOf(order, ready)] : []),
];
