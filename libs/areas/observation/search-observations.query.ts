import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  type Observation,
  observationKey,
  observations,
  observationsPrefix,
} from '#projections/observation/observations.projection.js';
import { reject } from './observation.errors.js';
import {
  boxGeometry,
  type Geometry,
  intersects,
  readRegion,
  RegionError,
} from './rasters.engine.js';

export interface ObservationSearch {
  readonly accountId: string;
  /** West, south, east, north; null: anywhere, also without a place. */
  readonly bbox: readonly number[] | null;
  /** GeoJSON; null: as above. */
  readonly intersects: string | null;
  /** An instant or an interval, as STAC has it; null: at any time. */
  readonly datetime: string | null;
  readonly collections: readonly string[] | null;
  readonly ids: readonly string[] | null;
  readonly limit: number;
  /** The `next` of the page before; null: the first page. */
  readonly token: string | null;
}

export interface FoundObservations {
  readonly observations: readonly Observation[];
  /** Of the next page; null: there is none. */
  readonly next: string | null;
}

/** The images of an account that meet every condition, newest acquisition first. */
export class SearchObservationsQuery extends Query<FoundObservations> {
  constructor(readonly search: ObservationSearch) {
    super();
  }
}

/** Documents that are read at once. An account has a bounded number of images. */
const READ_AT_ONCE = 500;

@QueryHandler(SearchObservationsQuery)
export class SearchObservationsHandler implements IQueryHandler<SearchObservationsQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>) {}

  /** @throws DomainError `observation_search_invalid` */
  async execute({ search }: SearchObservationsQuery): Promise<FoundObservations> {
    const { accountId, limit } = search;
    const matches = matcherOf(search);
    const before = search.token === null ? null : keyOfToken(accountId, search.token);
    const found: Observation[] = [];
    for (let offset = 0; ; offset += READ_AT_ONCE) {
      const { documents } = await this.projections.list(observations, {
        prefix: observationsPrefix(accountId),
        direction: 'backwards',
        limit: READ_AT_ONCE,
        offset,
      });
      for (const { document } of documents) {
        const one = document.observation;
        if (!one || (before !== null && observationKey(one) >= before) || !matches(one)) continue;
        const last = found.at(-1);
        if (found.length === limit && last) return { observations: found, next: tokenOf(last) };
        found.push(one);
      }
      if (documents.length < READ_AT_ONCE) return { observations: found, next: null };
    }
  }
}

const tokenOf = ({ acquiredAt, ingestId }: Observation): string =>
  Buffer.from(`${acquiredAt}/${ingestId}`).toString('base64url');

const keyOfToken = (accountId: string, token: string): string => {
  const [acquiredAt = '', ingestId = ''] = Buffer.from(token, 'base64url').toString().split('/');
  if (Number.isNaN(Date.parse(acquiredAt))) return invalid('token: expected the token of a page');
  return observationKey({ accountId, acquiredAt, ingestId });
};

const invalid = (detail: string): never => reject('observation_search_invalid', detail);

type Matches = (observation: Observation) => boolean;

const matcherOf = (search: ObservationSearch): Matches => {
  const { collections, ids } = search;
  const areas = [boxOf(search.bbox), geometryOf(search.intersects)].flatMap((one) => one ?? []);
  const [from, to] = intervalOf(search.datetime);
  return ({ ingestId, collection, acquiredAt, image }) => {
    if (collections?.includes(collection) === false) return false;
    if (ids?.includes(ingestId) === false) return false;
    if (acquiredAt < from || acquiredAt > to) return false;
    const footprint = image?.place?.footprint;
    return areas.every((area) => footprint !== undefined && intersects(footprint, area));
  };
};

const boxOf = (bbox: readonly number[] | null): Geometry | null => {
  if (bbox === null) return null;
  // Six numbers have heights, which no image has.
  const [west = NaN, south = NaN, east = NaN, north = NaN] =
    bbox.length === 6 ? [bbox[0], bbox[1], bbox[3], bbox[4]] : bbox;
  const isBox =
    (bbox.length === 4 || bbox.length === 6) &&
    [west, east].every((value) => Math.abs(value) <= 180) &&
    [south, north].every((value) => Math.abs(value) <= 90) &&
    south <= north;
  return isBox
    ? boxGeometry([west, south, east, north])
    : invalid('bbox: expected west, south, east and north in degrees');
};

const geometryOf = (text: string | null): Geometry | null => {
  try {
    return text === null ? null : readRegion(text);
  } catch (error) {
    if (error instanceof RegionError) return invalid(`intersects: ${error.message}`);
    throw error;
  }
};

const [FIRST, LAST] = ['0000', '9999'];

/** RFC 3339, section 5.6, as STAC has it: an instant, or two with an open end as `..`. */
const intervalOf = (text: string | null): readonly [string, string] => {
  if (text === null) return [FIRST, LAST];
  const [from = '', to = from, ...more] = text.split('/');
  const isOpen = (end: string): boolean => end === '..' || end === '';
  const ends = [from, to].map((end, n) => {
    if (isOpen(end)) return n === 0 ? FIRST : LAST;
    const atMs = /^\d{4}-\d\d-\d\dT/.test(end) ? Date.parse(end) : NaN;
    return Number.isNaN(atMs) ? '' : new Date(atMs).toISOString();
  });
  const [start = '', end = ''] = ends;
  const isInterval = more.length === 0 && start !== '' && end !== '' && start <= end;
  return isInterval && !(isOpen(from) && isOpen(to) && text !== '../..')
    ? [start, end]
    : invalid('datetime: expected an instant or an interval, such as 2026-11-01T00:00:00Z/..');
};
