import { Inject, Injectable } from '@nestjs/common';
import { type BundleEvent, bundleEvents } from '#events/dtn/dtn.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandOutcome, CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { maySee, type Reader } from '#platform/runtime/projections/reader.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type CustodyRecord } from '#projections/dtn/bundles.projection.js';
import { type BundleCommand, bundleDecider, type BundleState, isKept } from './bundle.decider.js';
import { reject } from './dtn.errors.js';

export const bundleStream = (bundleId: string): string => `bundle-${bundleId}`;

/** The custody of bundles as events, and their bytes as blobs sealed with the key of the user. */
@Injectable()
export class StoredBundles {
  readonly #runner: CommandRunner<BundleCommand, BundleState, BundleEvent>;

  constructor(
    private readonly blobs: Blobs,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    const decider = bundleDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(bundleEvents) });
  }

  /** @throws DomainError */
  run(
    bundleId: string,
    command: BundleCommand,
    context: CommandContext,
  ): Promise<CommandOutcome<BundleState, BundleEvent>> {
    return this.#runner.run(bundleStream(bundleId), command, context);
  }

  /** Null before the first event. */
  async stateOf(bundleId: string): Promise<BundleState> {
    return (await this.#runner.stateOf(bundleStream(bundleId))).state;
  }

  /** @throws DomainError `bundle_not_found`, also for the bundle of another account */
  async find(bundleId: string, reader: Reader): Promise<CustodyRecord> {
    const state = BUNDLE_ID.test(bundleId) ? await this.stateOf(bundleId) : null;
    if (state && maySee(reader, state.accountId)) return state;
    return reject('bundle_not_found', 'there is no such bundle');
  }

  /** Durable when it resolves. @returns the address */
  async put(content: Uint8Array, userId: UserId): Promise<string> {
    const source = (async function* () {
      yield await Promise.resolve(content);
    })();
    return (await this.blobs.put(source, { owner: subjectOf(userId) })).address;
  }

  /** @throws DomainError `bundle_ended` for a bundle that is not stored; BlobError */
  async open(bundle: CustodyRecord): Promise<AsyncIterable<Uint8Array>> {
    const blob = isKept(bundle) ? blobOf(bundle) : null;
    if (!blob) return reject('bundle_ended', `the bundle is ${bundle.status}`);
    return (await this.blobs.open(blob)).content;
  }

  async retainContent(bundleId: string): Promise<void> {
    const state = await this.stateOf(bundleId);
    const blob = state && isKept(state) ? blobOf(state) : null;
    if (blob) await this.blobs.retainOrReport(blob, holderOf(bundleId));
  }

  async releaseContent(bundleId: string): Promise<void> {
    const state = await this.stateOf(bundleId);
    const blob = state && !isKept(state) ? blobOf(state) : null;
    if (blob) await this.blobs.release(blob, holderOf(bundleId));
  }
}

const BUNDLE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The subject of the key of a user, as the identity area erases it. */
const subjectOf = (userId: number): string => `user:${userId}`;

const holderOf = (bundleId: string): string => `bundle:${bundleId}`;

const blobOf = ({ blob, userId }: CustodyRecord): BlobRef | null =>
  blob === null ? null : { address: blob, owner: subjectOf(userId) };
