import { Inject, Injectable } from '@nestjs/common';
import {
  type ObservationEvent,
  observationEvents,
} from '#events/observation/observation.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';
import { inOnePiece } from '#platform/blobs/pieces.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { maySee, type Reader } from '#platform/runtime/projections/reader.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type Observation } from '#projections/observation/observations.projection.js';
import {
  type ObservationCommand,
  observationDecider,
  type ObservationState,
} from './observation.decider.js';
import { reject } from './observation.errors.js';

const NAMESPACE = '2f6c9a54-5d0e-4c1b-9b7a-3e8d1f0a6c42';
const INGEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The same content of the same account has the same id, so that it is stored once. */
export const ingestIdOf = (accountId: string, sha256: string): string =>
  derivedId(`${accountId} ${sha256}`, NAMESPACE);

/** Images as events, and their bytes as blobs sealed with the key of the user. */
@Injectable()
export class StoredObservations {
  readonly #runner: CommandRunner<ObservationCommand, ObservationState, ObservationEvent>;

  constructor(
    private readonly blobs: Blobs,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    const decider = observationDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(observationEvents) });
  }

  /** @throws DomainError */
  async run(
    ingestId: string,
    command: ObservationCommand,
    context: CommandContext,
  ): Promise<Observation> {
    const { state } = await this.#runner.run(streamOf(ingestId), command, context);
    return state?.observation ?? absent();
  }

  /** Null for an image that is not stored, or no longer. */
  async stored(ingestId: string): Promise<Observation | null> {
    const { state } = await this.#runner.stateOf(streamOf(ingestId));
    return state?.isDeleted === false ? state.observation : null;
  }

  /** @throws DomainError `observation_not_found`, also for the image of another account */
  async find(ingestId: string, reader: Reader): Promise<Observation> {
    const found = INGEST_ID.test(ingestId) ? await this.stored(ingestId) : null;
    return found && maySee(reader, found.accountId) ? found : absent();
  }

  /** Durable when it resolves. @returns the address */
  async put(content: Uint8Array, userId: UserId): Promise<string> {
    return (await this.blobs.put(inOnePiece(content), { owner: ownerOf(userId) })).address;
  }

  /** @throws DomainError `observation_preview_missing`; BlobError */
  async open(observation: Observation, part: 'image' | 'preview') {
    const { blob, contentBytes, preview, userId } = observation;
    const found = part === 'image' ? { blob, bytes: contentBytes } : preview;
    if (!found) return reject('observation_preview_missing', 'the samples could not be read');
    const { content } = await this.blobs.open({ address: found.blob, owner: ownerOf(userId) });
    return { bytes: found.bytes, content };
  }

  /** Keeps the blobs of an image that is stored, and releases the blobs of a deleted one. */
  async settleContent(ingestId: string): Promise<void> {
    const { state } = await this.#runner.stateOf(streamOf(ingestId));
    if (!state) return;
    for (const blob of blobsOf(state.observation)) {
      if (state.isDeleted) await this.blobs.release(blob, streamOf(ingestId));
      else await this.blobs.retainOrReport(blob, streamOf(ingestId));
    }
  }
}

const streamOf = (ingestId: string): string => `observation-${ingestId}`;

const absent = (): never => reject('observation_not_found', 'there is no such observation');

/** The subject of the key of a user, as the identity area erases it. */
const ownerOf = (userId: number): string => `user:${userId}`;

const blobsOf = ({ blob, preview, userId }: Observation): readonly BlobRef[] =>
  [blob, ...(preview ? [preview.blob] : [])].map((address) => ({
    address,
    owner: ownerOf(userId),
  }));
