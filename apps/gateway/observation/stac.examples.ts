import { UserId } from '#events/vocabulary.js';
import { type ObservationCollection } from '#projections/observation/collections.projection.js';
import { type Observation } from '#projections/observation/observations.projection.js';
import { CONFORMANCE, StacPresenter } from './stac.presenter.js';

const COLLECTION: ObservationCollection = {
  collection: 'multispectral',
  items: 1,
  bytes: 8_412,
  bbox: [7.1, 46.2, 7.2, 46.3],
  from: '2026-11-21T10:30:00.000Z',
  to: '2026-11-21T10:30:00.000Z',
};

const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** An image without a place. */
const OBSERVATION: Observation = {
  ingestId: '0198c2f1-7a3b-4c5d-8e9f-0a1b2c3d4e5f',
  accountId: '7',
  userId: UserId.parse(7),
  collection: COLLECTION.collection,
  satelliteId: 'sentinel-2a',
  sensorType: COLLECTION.collection,
  targetRegion: null,
  regionCheck: 'none',
  groundStation: 'svalbard',
  acquiredAt: COLLECTION.from,
  acquiredFrom: 'request',
  storageTier: 'hot',
  sha256: SHA256,
  blob: SHA256,
  payloadBytes: 3_120,
  contentBytes: COLLECTION.bytes,
  payloadCompression: 'gzip',
  mediaType: 'image/tiff; application=geotiff',
  preview: null,
  image: null,
  problem: null,
  ingestedAt: '2026-11-21T11:02:00.000Z',
};

const presenter = new StacPresenter('https://api.example.com');

/** The answers of STAC API for one image, as the routes give them. */
export const STAC_EXAMPLES = {
  landing: presenter.landing([COLLECTION]),
  conformance: { conformsTo: CONFORMANCE },
  collections: presenter.collections([COLLECTION]),
  collection: presenter.collection(COLLECTION),
  item: presenter.item(OBSERVATION),
  items: presenter.items({ observations: [OBSERVATION], next: null }, null),
};
