import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type IngestCaptureEvidence } from '#events/observation/observation.evidence.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { cutOf, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  collectionKey,
  observationCollections,
} from '#projections/observation/collections.projection.js';
import { type Observation } from '#projections/observation/observations.projection.js';
import { type AdmittedIngest, IngestAdmission, type PricedOrder } from './ingest-admission.js';
import { reject } from './observation.errors.js';
import { OBSERVATION_SETTINGS, type ObservationSettings } from './observation.settings.js';
import { ObservationSources } from './observation-sources.port.js';
import { RasterReader } from './raster-reader.js';
import {
  CONTENT_BYTES_MAX,
  type Geometry,
  type RasterEnd,
  RastersError,
  readRegion,
  RegionError,
} from './rasters.engine.js';
import { storageTierOf } from './storage-tier.js';
import { ingestIdOf, StoredObservations } from './stored-observations.js';

export interface IngestOrder extends Omit<PricedOrder, 'signal'> {
  readonly userId: UserId;
  readonly satelliteId: string;
  readonly sensorType: string;
  readonly targetRegion: string | null;
  readonly groundStation: string | null;
  /** ISO 8601. */
  readonly acquiredAt: string | null;
  readonly payload:
    | { readonly content: Uint8Array }
    | { readonly hex: string }
    /** Of a file of the account. */
    | { readonly fileId: string };
}

export interface IngestAnswer {
  readonly observation: Observation;
  /** The account has sent the same content before; the first order stands. */
  readonly isDuplicate: boolean;
  readonly entry: LedgerEntry;
}

/** Reads, verifies and stores an image of the Earth. */
export class IngestObservationCommand extends Command<IngestAnswer> {
  constructor(
    readonly order: IngestOrder,
    /** Aborted with a `RequestCutError` when this process stops or the request takes too long. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

const HEX = /^(?:[0-9a-fA-F]{2})+$/;
const COLLECTIONS_MAX = 1_000;

@CommandHandler(IngestObservationCommand)
export class IngestObservationHandler implements ICommandHandler<IngestObservationCommand> {
  constructor(
    private readonly admission: IngestAdmission,
    private readonly reader: RasterReader,
    private readonly observations: StoredObservations,
    private readonly sources: ObservationSources,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    @Inject(OBSERVATION_SETTINGS) private readonly settings: ObservationSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError, ObservationFailure, RequestCutError */
  async execute({ order, signal }: IngestObservationCommand): Promise<IngestAnswer> {
    const region = regionOf(order.targetRegion);
    return this.reader.inTurn(order.accountId, signal, async () => {
      const payload = await this.#payloadOf(order);
      const admitted = await this.admission.admit({ ...order, signal }, payload.length);
      const end = await this.#read(payload, region, admitted, signal);
      return this.#store(order, payload, end, { admitted, region });
    });
  }

  async #payloadOf({ accountId, payload }: IngestOrder): Promise<Uint8Array> {
    if ('content' in payload) return payload.content;
    if ('hex' in payload) {
      if (HEX.test(payload.hex)) return new Uint8Array(Buffer.from(payload.hex, 'hex'));
      const detail = 'compressed_payload_hex: expected an even number of hex digits';
      return reject('observation_payload_invalid', detail);
    }
    const found = await this.sources.file(accountId, payload.fileId, CONTENT_BYTES_MAX);
    if (found === null) return reject('observation_file_not_found', 'there is no such file');
    if (found !== 'too_large') return found;
    return reject('observation_too_large', `file_id: more than ${CONTENT_BYTES_MAX} bytes`);
  }

  /** A payload that is too large was read to the limit, and costs that; a failure is free. */
  async #read(
    payload: Uint8Array,
    region: Geometry | null,
    admitted: AdmittedIngest,
    signal: AbortSignal,
  ): Promise<RasterEnd> {
    try {
      return await this.reader.read(payload, region, signal);
    } catch (error) {
      if (error instanceof RastersError) {
        const evidence = { sha256: null, outcome: 'too_large' } as const;
        await admitted.capture(payload.length + CONTENT_BYTES_MAX, evidence);
        return reject('observation_too_large', error.message);
      }
      await admitted.release(reasonOf(cutOf(signal) ?? error));
      throw error;
    }
  }

  async #store(
    order: IngestOrder,
    payload: Uint8Array,
    end: RasterEnd,
    { admitted, region }: { readonly admitted: AdmittedIngest; readonly region: Geometry | null },
  ): Promise<IngestAnswer> {
    const charge = (outcome: IngestCaptureEvidence['outcome']): Promise<LedgerEntry> =>
      admitted.capture(end.bytesRead, { sha256: end.sha256, outcome });
    let isCharged = false;
    try {
      const ingestId = ingestIdOf(order.accountId, end.sha256);
      const known = await this.observations.stored(ingestId);
      if (!known) await this.#demandRoom(order.accountId, end.content.length);
      const observation = known ?? (await this.#record(ingestId, order, { payload, end, region }));
      isCharged = true;
      const outcome = end.problem ? 'unverified' : 'verified';
      const entry = await charge(known ? 'duplicate' : outcome);
      return { observation, isDuplicate: known !== null, entry };
    } catch (error) {
      if (!isCharged) {
        const isFull = error instanceof DomainError && error.code === 'observation_store_full';
        await (isFull ? charge('store_full') : admitted.release(reasonOf(error)));
      }
      throw error;
    }
  }

  async #record(
    ingestId: string,
    order: IngestOrder,
    { payload, end, region }: Ingested,
  ): Promise<Observation> {
    const { accountId, userId, satelliteId, sensorType, targetRegion, context } = order;
    const { content, image, preview, problem } = end;
    const ingestedAt = instant(this.clock);
    const { acquiredAt, acquiredFrom } = acquisitionOf(order, end, ingestedAt);
    const previewBlob = preview && (await this.observations.put(preview, userId));
    const data: Observation = {
      ...{ ingestId, accountId, userId, satelliteId, sensorType, targetRegion },
      collection: collectionOf(sensorType),
      regionCheck: regionCheckOf(targetRegion, region, end),
      groundStation: order.groundStation ?? (await this.sources.defaultStation()),
      ...{ acquiredAt, acquiredFrom, ingestedAt },
      storageTier: storageTierOf(acquiredAt, ingestedAt, content.length),
      ...{ sha256: end.sha256, contentBytes: content.length, payloadBytes: payload.length },
      ...{ payloadCompression: end.compression, mediaType: end.mediaType, problem },
      blob: await this.observations.put(content, userId),
      preview: preview && previewBlob ? { blob: previewBlob, bytes: preview.length } : null,
      image: image && imageOf(image),
    };
    const command = { type: 'IngestObservation', data } as const;
    const observation = await this.observations.run(ingestId, command, context);
    await this.observations.settleContent(ingestId);
    return observation;
  }

  /** Counted by the read model: ingests at the same instant may exceed it by their number. */
  async #demandRoom(accountId: string, bytes: number): Promise<void> {
    const { documents } = await this.projections.list(observationCollections, {
      prefix: collectionKey(accountId, ''),
      direction: 'forwards',
      limit: COLLECTIONS_MAX,
    });
    const stored = documents.reduce(
      (sum, { document }) => ({
        items: sum.items + document.items,
        bytes: sum.bytes + document.bytes,
      }),
      { items: 0, bytes: 0 },
    );
    const { imagesMax, bytesMax } = this.settings;
    if (stored.items < imagesMax && stored.bytes + bytes <= bytesMax) return;
    const most = `${imagesMax} images of ${bytesMax} bytes`;
    reject('observation_store_full', `the account may have ${most}; delete some first`);
  }
}

interface Ingested {
  readonly payload: Uint8Array;
  readonly end: RasterEnd;
  readonly region: Geometry | null;
}

/** @throws DomainError `observation_region_invalid` */
const regionOf = (text: string | null): Geometry | null => {
  try {
    return text === null ? null : readRegion(text);
  } catch (error) {
    if (!(error instanceof RegionError)) throw error;
    return reject('observation_region_invalid', `target_region: ${error.message}`);
  }
};

const regionCheckOf = (
  text: string | null,
  region: Geometry | null,
  { image, problem }: RasterEnd,
): Observation['regionCheck'] => {
  if (text === null) return 'none';
  if (!region || !image?.place) return 'not_checked';
  return problem?.code === 'region_disjoint' ? 'disjoint' : 'overlaps';
};

const acquisitionOf = (
  { acquiredAt }: IngestOrder,
  { image }: RasterEnd,
  ingestedAt: string,
): Pick<Observation, 'acquiredAt' | 'acquiredFrom'> => {
  if (acquiredAt !== null) return { acquiredAt, acquiredFrom: 'request' };
  const ofFile = image?.dateTime ?? null;
  return ofFile === null
    ? { acquiredAt: ingestedAt, acquiredFrom: 'arrival' }
    : { acquiredAt: ofFile, acquiredFrom: 'file' };
};

const imageOf = ({
  dateTime: _,
  place,
  ...image
}: NonNullable<RasterEnd['image']>): NonNullable<Observation['image']> => {
  if (!place || place.footprint.type === 'Point') return { ...image, place: null };
  return { ...image, place: { ...place, footprint: place.footprint } };
};

/** One for each type of sensor. */
const collectionOf = (sensorType: string): string => {
  const words = sensorType.toLowerCase().match(/[a-z0-9]+/g) ?? ['other'];
  return words.join('-').slice(0, 64).replace(/-$/, '');
};

const reasonOf = (error: unknown) => {
  if (error instanceof RequestCutError) return error.reason;
  return error instanceof DomainError ? 'refused' : 'upstream_failed';
};
