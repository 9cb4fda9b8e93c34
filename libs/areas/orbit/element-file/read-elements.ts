import { SatelliteId } from '#events/orbit/orbit.events.js';
import { reject } from '../orbit.errors.js';
import { epochMsOf, type OrbitElements } from '../orbits.engine.js';
import { readJsonMessages, readKeyValueMessages } from './mean-elements-message.js';
import { readTwoLines } from './two-line-elements.js';

/** In one import. */
export const SETS_MAX = 500;
export const DATA_LENGTH_MAX = 524_288;

export type ElementFormat = 'tle' | 'omm_json' | 'omm_kvn';

export interface ReadElements {
  readonly satelliteId: number;
  readonly name: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly epoch: string;
  readonly elements: OrbitElements;
}

export interface ElementFile {
  readonly format: ElementFormat;
  readonly sets: readonly ReadElements[];
}

/**
 * Reads elements in the format that the text has: two-line elements, Orbit Mean-Elements Messages
 * in key-value notation, or their JSON as CelesTrak has it.
 * @throws DomainError `elements_invalid`
 */
export const readElements = (text: string): ElementFile => {
  if (text.length > DATA_LENGTH_MAX) {
    reject('elements_invalid', `data: expected at most ${DATA_LENGTH_MAX} characters`);
  }
  const format = formatOf(text);
  const named = readAs(format, text);
  if (named.length === 0) reject('elements_invalid', `data: expected elements, received none`);
  if (named.length > SETS_MAX) {
    reject(
      'elements_invalid',
      `data: expected at most ${SETS_MAX} sets of elements, received ${named.length}`,
    );
  }
  return { format, sets: named.map(readOf) };
};

const formatOf = (text: string): ElementFormat => {
  const start = text.trimStart();
  if (start.startsWith('[') || start.startsWith('{')) return 'omm_json';
  if (start.startsWith('CCSDS_OMM_VERS')) return 'omm_kvn';
  if (start.startsWith('<')) {
    reject('elements_invalid', 'data: expected TLE, or OMM as JSON or KVN, received XML');
  }
  return 'tle';
};

interface Named {
  readonly satelliteId: number;
  readonly name: string | null;
  readonly elements: OrbitElements;
}

const readAs = (format: ElementFormat, text: string): readonly Named[] => {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  switch (format) {
    case 'tle':
      return readTwoLines(lines);
    case 'omm_json':
      return readJsonMessages(text);
    case 'omm_kvn':
      return readKeyValueMessages(lines);
  }
};

const readOf = ({ satelliteId, name, elements }: Named, n: number): ReadElements => {
  const epoch = new Date(epochMsOf(elements));
  if (!SatelliteId.safeParse(satelliteId).success) {
    reject('elements_invalid', `data: set ${n + 1} has no number of a satellite`);
  }
  if (Number.isNaN(epoch.getTime())) {
    reject('elements_invalid', `data: the epoch of set ${n + 1} is no instant`);
  }
  return {
    satelliteId,
    name: name === null || name === '' ? `satellite ${satelliteId}` : name,
    epoch: epoch.toISOString(),
    elements,
  };
};
