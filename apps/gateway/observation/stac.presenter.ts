import { type FoundObservations } from '#areas/observation/search-observations.query.js';
import { type ObservationCollection } from '#projections/observation/collections.projection.js';
import { type Observation } from '#projections/observation/observations.projection.js';
import { contentUrlOf, itemUrlOf, previewUrlOf } from './observation.presenter.js';

/** STAC 1.1.0 and the STAC API 1.0.0, as JSON. */
export type StacDocument = Readonly<Record<string, unknown>>;

const STAC_VERSION = '1.1.0';
const GEOJSON = 'application/geo+json';
const JSON_TYPE = 'application/json';
const ROOT = '/api/v1/stac';
const PROJECTION = 'https://stac-extensions.github.io/projection/v2.0.0/schema.json';
const FILE = 'https://stac-extensions.github.io/file/v2.1.0/schema.json';
const EARTH = [-180, -90, 180, 90];

export const CONFORMANCE: readonly string[] = [
  'https://api.stacspec.org/v1.0.0/core',
  'https://api.stacspec.org/v1.0.0/collections',
  'https://api.stacspec.org/v1.0.0/item-search',
  'https://api.stacspec.org/v1.0.0/ogcapi-features',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson',
];

/** Documents with links below the address that a caller uses. */
export class StacPresenter {
  /** @param origin such as `https://api.example.com` */
  constructor(private readonly origin: string) {}

  landing(collections: readonly ObservationCollection[]): StacDocument {
    const children = collections.map(({ collection }) =>
      this.#link('child', `${ROOT}/collections/${collection}`, JSON_TYPE),
    );
    return {
      type: 'Catalog',
      stac_version: STAC_VERSION,
      id: 'quipu',
      title: 'Images of the Earth',
      description: 'The images of the account, in a collection for each type of sensor.',
      conformsTo: CONFORMANCE,
      links: [
        ...this.#home(ROOT),
        this.#link('conformance', `${ROOT}/conformance`, JSON_TYPE),
        this.#link('data', `${ROOT}/collections`, JSON_TYPE),
        { ...this.#link('search', `${ROOT}/search`, GEOJSON), method: 'GET' },
        { ...this.#link('search', `${ROOT}/search`, GEOJSON), method: 'POST' },
        this.#link('service-desc', '/openapi.json', 'application/vnd.oai.openapi+json;version=3.0'),
        ...children,
      ],
    };
  }

  collections(all: readonly ObservationCollection[]): StacDocument {
    return {
      collections: all.map((one) => this.collection(one)),
      links: this.#home(`${ROOT}/collections`),
    };
  }

  collection({ collection, bbox, from, to }: ObservationCollection): StacDocument {
    const path = `${ROOT}/collections/${collection}`;
    return {
      type: 'Collection',
      stac_version: STAC_VERSION,
      id: collection,
      description: `Images of the sensor type ${collection}.`,
      license: 'other',
      extent: { spatial: { bbox: [bbox ?? EARTH] }, temporal: { interval: [[from, to]] } },
      links: [
        ...this.#home(path),
        this.#link('parent', ROOT, JSON_TYPE),
        this.#link('items', `${path}/items`, GEOJSON),
      ],
    };
  }

  /** @param next the link to the next page; null on the last page */
  items(found: FoundObservations, next: StacDocument | null): StacDocument {
    return {
      type: 'FeatureCollection',
      features: found.observations.map((one) => this.item(one)),
      numberReturned: found.observations.length,
      links: [this.#link('root', ROOT, JSON_TYPE), ...(next ? [next] : [])],
    };
  }

  item(observation: Observation): StacDocument {
    const { ingestId, collection, image } = observation;
    const place = image?.place ?? null;
    const parent = `${ROOT}/collections/${collection}`;
    return {
      type: 'Feature',
      stac_version: STAC_VERSION,
      stac_extensions: [...(place ? [PROJECTION] : []), FILE],
      id: ingestId,
      collection,
      geometry: place?.footprint ?? null,
      ...(place && { bbox: place.bbox }),
      properties: propertiesOf(observation),
      assets: this.#assetsOf(observation),
      links: [
        ...this.#home(itemUrlOf(observation), GEOJSON),
        this.#link('parent', parent, JSON_TYPE),
        this.#link('collection', parent, JSON_TYPE),
      ],
    };
  }

  /** The link to the next page of a search by GET. */
  nextByGet(path: string, query: object, token: string): StacDocument {
    const parameters = new URLSearchParams({ token });
    for (const [name, value] of Object.entries(query) as [string, string | number | undefined][]) {
      if (name !== 'token' && value !== undefined) parameters.append(name, String(value));
    }
    const href = `${path}?${parameters.toString()}`;
    return { ...this.#link('next', href, GEOJSON), method: 'GET' };
  }

  /** The link to the next page of a search by POST. */
  nextByPost(body: object, token: string): StacDocument {
    return {
      ...this.#link('next', `${ROOT}/search`, GEOJSON),
      method: 'POST',
      body: { ...body, token },
    };
  }

  #assetsOf(observation: Observation): StacDocument {
    const { image, preview, mediaType, contentBytes, sha256 } = observation;
    const bands = Array.from({ length: image?.bands ?? 0 }, (_, n) => ({ name: `b${n + 1}` }));
    const previewUrl = previewUrlOf(observation);
    return {
      data: {
        href: this.#url(contentUrlOf(observation)),
        type: mediaType,
        roles: ['data'],
        'file:size': contentBytes,
        // A multihash: SHA-256, of 32 bytes.
        'file:checksum': `1220${sha256}`,
        ...(image && { data_type: image.dataType, nodata: image.noData ?? undefined, bands }),
      },
      ...(preview &&
        previewUrl !== null && {
          thumbnail: {
            href: this.#url(previewUrl),
            type: 'image/png',
            roles: ['thumbnail'],
            'file:size': preview.bytes,
          },
        }),
    };
  }

  #home(path: string, type = JSON_TYPE): readonly StacDocument[] {
    return [this.#link('self', path, type), this.#link('root', ROOT, JSON_TYPE)];
  }

  #link(rel: string, path: string, type: string): StacDocument {
    return { rel, href: this.#url(path), type };
  }

  #url(path: string): string {
    return `${this.origin}${path}`;
  }
}

const propertiesOf = (observation: Observation): StacDocument => {
  const { acquiredAt, ingestedAt, satelliteId, sensorType, image } = observation;
  const place = image?.place ?? null;
  return {
    datetime: acquiredAt,
    created: ingestedAt,
    platform: satelliteId,
    instruments: [sensorType],
    ...(place &&
      image && {
        gsd: place.resolutionM,
        'proj:code': `EPSG:${place.epsg}`,
        'proj:shape': [image.height, image.width],
        'proj:transform': place.transform,
      }),
    'quipu:status': observation.problem ? 'stored_unverified' : 'ingested_verified',
    'quipu:storage_tier': observation.storageTier,
    'quipu:ground_station': observation.groundStation,
    'quipu:region_check': observation.regionCheck,
    'quipu:datetime_from': observation.acquiredFrom,
  };
};
