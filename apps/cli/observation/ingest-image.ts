import { readFile, stat } from 'node:fs/promises';
import { IngestObservationCommand } from '#areas/observation/ingest-observation.handler.js';
import { CONTENT_BYTES_MAX } from '#areas/observation/rasters.engine.js';
import { rateCards } from '#projections/catalog/rate-cards.projection.js';
import { observationCollections } from '#projections/observation/collections.projection.js';
import { usage } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { pricesInForce } from '../prices-in-force.js';
import { withQuipu } from '../quipu.context.js';
import { userIdOf } from '../user-option.js';
import { OBSERVATION_NEEDS } from './observation.needs.js';
import { imageText, shownImage } from './show-images.js';

export interface IngestOptions extends CommonOptions {
  readonly file: string;
  readonly user: string;
  readonly satellite: string;
  readonly sensor: string;
  readonly region?: string;
  readonly station?: string;
  readonly acquiredAt?: string;
}

const NEEDS = { ...OBSERVATION_NEEDS, projections: [rateCards, observationCollections] };

/** Works in this process. The account pays by the rate card in force. */
export const ingestImage = async (
  options: IngestOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const content = await contentOf(options.file);
  const { observation, isDuplicate, entry } = await withQuipu(invocation, NEEDS, async (quipu) => {
    const userId = await userIdOf(quipu, options.user);
    const order = {
      ...{ accountId: String(userId), userId, receivedAtMs: quipu.clock.now() },
      ...{ satelliteId: options.satellite, sensorType: options.sensor },
      targetRegion: options.region ?? null,
      groundStation: options.station ?? null,
      acquiredAt: options.acquiredAt ?? null,
      payload: { content },
      prices: await pricesInForce(quipu),
      context: quipu.context(),
    };
    return quipu.commands.execute(new IngestObservationCommand(order, invocation.signal));
  });
  return {
    json: {
      observation: shownImage(observation),
      duplicate: isDuplicate,
      charged_micro_usd: String(entry.chargedMicroUsd),
    },
    text: imageText(observation),
  };
};

const contentOf = async (file: string): Promise<Uint8Array> => {
  try {
    const { size } = await stat(file);
    if (size <= CONTENT_BYTES_MAX) return new Uint8Array(await readFile(file));
  } catch (error) {
    throw usage(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw usage(`${file}: has more than ${CONTENT_BYTES_MAX} bytes`);
};
