import {
  checkForDecay,
  json2satrec,
  SatRecError,
  type SatRec,
  sgp4,
  twoline2satrec,
} from 'satellite.js';
import { epochMsOf, type OrbitElements } from './elements.js';
import { OrbitsError } from './orbits.errors.js';

export interface Vector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Kilometres and kilometres per second, in the frame of SGP4 (TEME). */
export interface State {
  readonly position: Vector;
  readonly velocity: Vector;
}

const MS_PER_MINUTE = 60_000;

/** A satellite that SGP4 propagates from one set of elements. */
export class Satellite {
  readonly #record: SatRec;
  readonly #epochMs: number;

  /** @throws OrbitsError `elements_not_propagable` */
  constructor(elements: OrbitElements) {
    this.#record = recordOf(elements);
    this.#epochMs = epochMsOf(elements);
    this.#refuseError(this.#epochMs);
  }

  /**
   * @param atMs milliseconds since the Unix epoch, with a fraction
   * @throws OrbitsError `elements_decayed`, `elements_not_propagable`
   */
  at(atMs: number): State {
    // The epoch of the record is rounded to a Julian date, and that of the elements is not.
    const state = sgp4(this.#record, (atMs - this.#epochMs) / MS_PER_MINUTE);
    if (state === null) this.#refuseError(atMs);
    if (state === null || checkForDecay(this.#record)) throw decayed(atMs);
    return state;
  }

  #refuseError(atMs: number): void {
    const { error } = this.#record;
    if (error === SatRecError.None) return;
    if (error === SatRecError.Decayed) throw decayed(atMs);
    throw new OrbitsError(
      'elements_not_propagable',
      `SGP4 cannot propagate the elements to ${instantOf(atMs)}: ${REASONS[error]}`,
    );
  }
}

const REASONS: Readonly<Record<Exclude<SatRecError, SatRecError.None>, string>> = {
  [SatRecError.MeanEccentricityOutOfRange]: 'the mean eccentricity leaves 0 to 1',
  [SatRecError.MeanMotionBelowZero]: 'the mean motion falls below zero',
  [SatRecError.PerturbedEccentricityOutOfRange]: 'the perturbed eccentricity leaves 0 to 1',
  [SatRecError.SemiLatusRectumBelowZero]: 'the semi-latus rectum falls below zero',
  [SatRecError.Decayed]: 'the orbit has decayed',
};

const decayed = (atMs: number): OrbitsError =>
  new OrbitsError(
    'elements_decayed',
    `by these elements the orbit has decayed by ${instantOf(atMs)}`,
  );

const instantOf = (ms: number): string => new Date(ms).toISOString();

const recordOf = (elements: OrbitElements): SatRec =>
  elements.format === 'tle'
    ? twoline2satrec(elements.line1, elements.line2)
    : json2satrec({
        OBJECT_NAME: '',
        OBJECT_ID: '',
        NORAD_CAT_ID: 0,
        EPOCH: elements.epoch,
        MEAN_MOTION: elements.meanMotion,
        ECCENTRICITY: elements.eccentricity,
        INCLINATION: elements.inclinationDeg,
        RA_OF_ASC_NODE: elements.ascendingNodeDeg,
        ARG_OF_PERICENTER: elements.pericenterDeg,
        MEAN_ANOMALY: elements.meanAnomalyDeg,
        BSTAR: elements.bstar,
        ELEMENT_SET_NO: 0,
        // SGP4 reads no derivative of the mean motion.
        MEAN_MOTION_DOT: 0,
        MEAN_MOTION_DDOT: 0,
      });
