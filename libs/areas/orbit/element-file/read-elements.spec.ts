import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { readElements } from './read-elements.js';

const LINE1 = '1 25544U 98067A   25214.99489444  .00011799  00000+0  21211-3 0  9991';
const LINE2 = '2 25544  51.6358  75.0680 0002052 141.2455 195.9660 15.50307000522418';

/** As CelesTrak publishes it. */
const GP = {
  OBJECT_NAME: 'ISS (ZARYA)',
  OBJECT_ID: '1998-067A',
  EPOCH: '2025-08-02T23:52:38.879616',
  MEAN_MOTION: 15.50307,
  ECCENTRICITY: 0.0002052,
  INCLINATION: 51.6358,
  RA_OF_ASC_NODE: 75.068,
  ARG_OF_PERICENTER: 141.2455,
  MEAN_ANOMALY: 195.966,
  EPHEMERIS_TYPE: 0,
  CLASSIFICATION_TYPE: 'U',
  NORAD_CAT_ID: 25544,
  ELEMENT_SET_NO: 999,
  REV_AT_EPOCH: 52241,
  BSTAR: 0.00021211,
  MEAN_MOTION_DOT: 0.00011799,
  MEAN_MOTION_DDOT: 0,
};
const MEAN = {
  format: 'omm',
  epoch: '2025-08-02T23:52:38.879616Z',
  meanMotion: 15.50307,
  eccentricity: 0.0002052,
  inclinationDeg: 51.6358,
  ascendingNodeDeg: 75.068,
  pericenterDeg: 141.2455,
  meanAnomalyDeg: 195.966,
  bstar: 0.00021211,
};
const ISS = { satelliteId: 25544, name: 'ISS (ZARYA)', epoch: '2025-08-02T23:52:38.879Z' };
const invalid = (about: RegExp) =>
  expect.objectContaining({ code: 'elements_invalid', message: expect.stringMatching(about) });

describe('elements of satellites', () => {
  it.each([
    ['a name', `ISS (ZARYA)             \n${LINE1}\n${LINE2}\n`],
    ['a name on line 0', `0 ISS (ZARYA)\r\n${LINE1}\r\n${LINE2}`],
  ])('are read from two lines with %s', (_, text) => {
    const elements = { format: 'tle', line1: LINE1, line2: LINE2 };
    expect(readElements(text)).toEqual({ format: 'tle', sets: [{ ...ISS, elements }] });
  });

  it('are read from CelesTrak’s JSON, and from Space-Track’s with its texts', () => {
    const texts = Object.fromEntries(
      Object.entries(GP).map(([key, value]) => [key, String(value)]),
    );
    for (const message of [GP, texts]) {
      const { format, sets } = readElements(JSON.stringify([message]));
      expect({ format, sets }).toEqual({ format: 'omm_json', sets: [{ ...ISS, elements: MEAN }] });
    }
  });

  it('are read from key-value notation', () => {
    const lines = Object.entries({ ...GP, INCLINATION: '51.6358 [deg]', TIME_SYSTEM: 'UTC' });
    const text = [['CCSDS_OMM_VERS', '2.0'], ...lines].map(([key, value]) => `${key} = ${value}`);
    expect(readElements(text.join('\n'))).toEqual({
      format: 'omm_kvn',
      sets: [{ ...ISS, elements: MEAN }],
    });
  });

  it('have numbers above 99999 as OMM, and up to 339999 in Alpha-5', () => {
    const json = JSON.stringify({ ...GP, NORAD_CAT_ID: 799_500_123 });
    expect(readElements(json).sets).toMatchObject([{ satelliteId: 799_500_123 }]);
    const [one, two] = [LINE1, LINE2].map((line) => `${line.slice(0, 2)}Z9999${line.slice(7, 68)}`);
    const summed = (line = '') =>
      `${line}${Array.from(line).reduce((sum, c) => sum + digit(c), 0) % 10}`;
    const digit = (c: string) => (c === '-' ? 1 : Number(/\d/.test(c) ? c : 0));
    const { sets } = readElements(`${summed(one)}\n${summed(two)}`);
    expect(sets).toMatchObject([{ satelliteId: 339_999, name: 'satellite 339999' }]);
  });

  it('are read from the sets that the oracles compare', () => {
    const file = path.resolve(
      import.meta.dirname,
      '../../../../test/oracles/orbits/satellites.txt',
    );
    expect(readElements(readFileSync(file, 'utf8')).sets).toHaveLength(20);
  });

  const faults: readonly (readonly [string, RegExp])[] = [
    ['', /received none/],
    [`${LINE1}\n`, /69 characters of line 2/],
    [`${LINE2}\n`, /a line 1 before/],
    [`${LINE1.slice(0, 68)}2\n${LINE2}`, /checksum/],
    [`${LINE1.replace('25214', '2521x')}\n${LINE2}`, /columns of line 1/],
    ['[{}]', /NORAD_CAT_ID/],
    ['{"a"', /JSON/],
    ['<?xml?>', /XML/],
    [JSON.stringify({ ...GP, ECCENTRICITY: 1 }), /eccentricity/],
    [JSON.stringify({ ...GP, MEAN_MOTION: 0 }), /meanMotion/],
    [JSON.stringify({ ...GP, TIME_SYSTEM: 'TAI' }), /TIME_SYSTEM/],
    [JSON.stringify({ ...GP, EPOCH: '2025-02-31T00:00:00' }), /EPOCH/],
    [JSON.stringify(Array.from({ length: 501 }, () => GP)), /at most 500/],
  ];

  it.each(faults.map((fault, n) => [n, ...fault] as const))(
    'are rejected with the reason: %i',
    (_, text, about) => {
      expect(() => readElements(text)).toThrow(invalid(about));
    },
  );

  it('are elements or an error, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.mixedCase(fc.constant(LINE1))), (text) => {
        try {
          return readElements(text).sets.length > 0;
        } catch (error) {
          return (error as { code?: string }).code === 'elements_invalid';
        }
      }),
      { numRuns: 300 },
    );
  });
});
