import { describe, expect, it } from '@jest/globals';
import { gstime } from 'satellite.js';
import { epochMsOf } from './elements.js';
import { placeBelow, siderealAngle, toEarthFixed } from './earth.js';
import { passesOver } from './pass-search.js';
import { Satellite } from './satellite.js';

const ISS = {
  format: 'tle',
  line1: '1 25544U 98067A   25214.99489444  .00011799  00000+0  21211-3 0  9991',
  line2: '2 25544  51.6358  75.0680 0002052 141.2455 195.9660 15.50307000522418',
} as const;
const TDRS = {
  format: 'tle',
  line1: '1 19548U 88091B   25214.23743662 -.00000292  00000+0  00000+0 0  9992',
  line2: '2 19548  12.8448 343.1107 0034982 344.2477  20.3556  1.00267506122195',
} as const;
const GREENWICH = { latitudeDeg: 51.4769, longitudeDeg: 0, heightM: 46 };
const FROM = Date.UTC(2025, 7, 3);
const HOUR = 3_600_000;
const MASK = 10;

const passesOfIss = (fromMs: number, toMs: number, maskDeg = MASK) =>
  passesOver(new Satellite(ISS), { place: GREENWICH, maskDeg, fromMs, toMs });

describe('the passes of a satellite', () => {
  const passes = passesOfIss(FROM, FROM + 24 * HOUR);

  it('rise and set at the mask, to 10 ms', () => {
    expect(passes).toHaveLength(5);
    for (const { aos, los } of passes) {
      expect(aos?.elevationDeg).toBeCloseTo(MASK, 3);
      expect(los?.elevationDeg).toBeCloseTo(MASK, 3);
    }
  });

  it('are highest above and closest between rise and set', () => {
    for (const { aos, highest, closest, los } of passes) {
      expect(highest.elevationDeg).toBeGreaterThan(MASK);
      expect(Math.abs(closest.rangeRateKmPerSec)).toBeLessThan(1e-3);
      expect(closest.rangeKm).toBeLessThanOrEqual(highest.rangeKm);
      expect(highest.elevationDeg).toBeGreaterThanOrEqual(closest.elevationDeg);
      const instants = [aos, closest, los].map((point) => point?.atMs ?? NaN);
      expect(instants).toEqual([...instants].sort((one, other) => one - other));
    }
  });

  it('come nearer before and go away after the closest point', () => {
    for (const { aos, los } of passes) {
      expect(aos?.rangeRateKmPerSec).toBeLessThan(-2);
      expect(los?.rangeRateKmPerSec).toBeGreaterThan(2);
    }
  });

  it('have no rise and no set where the window cuts them', () => {
    const [first] = passes;
    const middleMs = first?.highest.atMs ?? NaN;
    const [cut] = passesOfIss(middleMs - 30_000, middleMs + 30_000);
    expect(cut).toMatchObject({ aos: null, los: null });
    expect(cut?.highest.atMs).toBeCloseTo(middleMs, -1);
  });

  it('are found however short they are', () => {
    const [first] = passes;
    const top = first?.highest;
    const mask = (top?.elevationDeg ?? NaN) - 0.001;
    const [short] = passesOfIss(FROM, (top?.atMs ?? NaN) + HOUR, mask);
    const [aosMs = NaN, losMs = NaN] = [short?.aos?.atMs, short?.los?.atMs];
    expect(losMs - aosMs).toBeLessThan(5_000);
    expect(losMs - aosMs).toBeGreaterThan(0);
  });

  it('never end for a satellite that stays above the horizon', () => {
    const satellite = new Satellite(TDRS);
    const { position } = satellite.at(FROM);
    const below = placeBelow(toEarthFixed(position, siderealAngle(FROM)));
    const place = { ...below, heightM: 0 };
    const window = { place, maskDeg: 40, fromMs: FROM, toMs: FROM + 72 * HOUR };
    expect(passesOver(satellite, window)).toMatchObject([{ aos: null, los: null }]);
  });
});

describe('a satellite', () => {
  it('that has decayed is an error by name', () => {
    const satellite = new Satellite(ISS);
    const decadeMs = 10 * 365.25 * 24 * HOUR;
    expect(() => satellite.at(FROM + decadeMs)).toThrow(
      expect.objectContaining({ code: 'elements_decayed' }),
    );
  });

  it('has the same orbit as two lines and as mean elements', () => {
    const omm = {
      format: 'omm',
      epoch: new Date(Math.floor(epochMsOf(ISS))).toISOString().slice(0, -4) + '879616Z',
      meanMotion: 15.50307,
      eccentricity: 0.0002052,
      inclinationDeg: 51.6358,
      ascendingNodeDeg: 75.068,
      pericenterDeg: 141.2455,
      meanAnomalyDeg: 195.966,
      bstar: 0.00021211,
    } as const;
    expect(epochMsOf(omm)).toBeCloseTo(epochMsOf(ISS), 2);
    const [one, other] = [ISS, omm].map((elements) => new Satellite(elements).at(FROM).position);
    expect(one?.x).toBeCloseTo(other?.x ?? NaN, 4);
    expect(one?.y).toBeCloseTo(other?.y ?? NaN, 4);
    expect(one?.z).toBeCloseTo(other?.z ?? NaN, 4);
  });
});

describe('the Earth', () => {
  it('has turned as far as satellite.js says', () => {
    for (const atMs of [FROM, FROM + 1, Date.UTC(1999, 11, 31, 7), Date.UTC(2040, 1, 29, 23, 59)]) {
      expect(siderealAngle(atMs)).toBeCloseTo(gstime(new Date(atMs)), 7);
    }
  });
});
