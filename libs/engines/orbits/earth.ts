import { type Vector } from './satellite.js';

/** The ellipsoid of WGS 84. */
const EQUATOR_KM = 6_378.137;
const FLATTENING = 1 / 298.257223563;
const ECCENTRICITY_SQUARED = FLATTENING * (2 - FLATTENING);

const RADIANS = Math.PI / 180;
const TURN = 2 * Math.PI;
const MS_PER_DAY = 86_400_000;
const MS_PER_CENTURY = 36_525 * MS_PER_DAY;
/** Noon of 1 January 2000. */
const J2000_MS = Date.UTC(2000, 0, 1, 12);

/** What the angles and positions of a station are computed from. */
export interface Place {
  readonly latitudeDeg: number;
  readonly longitudeDeg: number;
  readonly heightM: number;
}

/**
 * Greenwich mean sidereal time of 1982 in radians, with UTC for UT1: they differ by less than
 * 0.9 s. A Julian date in one number would be exact to 40 µs, by which no Doppler shift is smooth.
 */
export const siderealAngle = (atMs: number): number => {
  const centuries = (atMs - J2000_MS) / MS_PER_CENTURY;
  const ofDaySeconds = ((((atMs - J2000_MS) % MS_PER_DAY) + MS_PER_DAY) % MS_PER_DAY) / 1_000;
  const seconds =
    67_310.54841 +
    ofDaySeconds +
    centuries * (8_640_184.812866 + centuries * (0.093104 - centuries * 6.2e-6));
  const angle = ((seconds / 240) * RADIANS) % TURN;
  return angle < 0 ? angle + TURN : angle;
};

/** From the frame of SGP4 to the rotating Earth, without polar motion, which is metres. */
export const toEarthFixed = ({ x, y, z }: Vector, angle: number): Vector => {
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  return { x: x * cos + y * sin, y: y * cos - x * sin, z };
};

/** A station on the Earth, and where it sees a satellite. */
export class Horizon {
  readonly #position: Vector;
  readonly #sinLatitude: number;
  readonly #cosLatitude: number;
  readonly #sinLongitude: number;
  readonly #cosLongitude: number;

  constructor({ latitudeDeg, longitudeDeg, heightM }: Place) {
    const latitude = latitudeDeg * RADIANS;
    const longitude = longitudeDeg * RADIANS;
    this.#sinLatitude = Math.sin(latitude);
    this.#cosLatitude = Math.cos(latitude);
    this.#sinLongitude = Math.sin(longitude);
    this.#cosLongitude = Math.cos(longitude);
    const normal = EQUATOR_KM / Math.sqrt(1 - ECCENTRICITY_SQUARED * this.#sinLatitude ** 2);
    const height = heightM / 1_000;
    const radius = (normal + height) * this.#cosLatitude;
    this.#position = {
      x: radius * this.#cosLongitude,
      y: radius * this.#sinLongitude,
      z: (normal * (1 - ECCENTRICITY_SQUARED) + height) * this.#sinLatitude,
    };
  }

  /** @param satellite kilometres, on the rotating Earth */
  look(satellite: Vector): {
    readonly azimuthDeg: number;
    readonly elevationDeg: number;
    readonly rangeKm: number;
  } {
    const x = satellite.x - this.#position.x;
    const y = satellite.y - this.#position.y;
    const z = satellite.z - this.#position.z;
    const outwards = this.#cosLongitude * x + this.#sinLongitude * y;
    const east = this.#cosLongitude * y - this.#sinLongitude * x;
    const north = this.#cosLatitude * z - this.#sinLatitude * outwards;
    const up = this.#cosLatitude * outwards + this.#sinLatitude * z;
    const azimuthDeg = Math.atan2(east, north) / RADIANS;
    return {
      azimuthDeg: azimuthDeg < 0 ? azimuthDeg + 360 : azimuthDeg,
      elevationDeg: Math.atan2(up, Math.hypot(east, north)) / RADIANS,
      rangeKm: Math.hypot(x, y, z),
    };
  }
}

const LATITUDE_STEPS = 8;

/** The point below a satellite, which is given in kilometres on the rotating Earth. */
export const placeBelow = ({ x, y, z }: Vector): Place => {
  const radius = Math.hypot(x, y);
  let latitude = Math.atan2(z, radius);
  let curvature = 1;
  for (let step = 0; step < LATITUDE_STEPS; step += 1) {
    curvature = 1 / Math.sqrt(1 - ECCENTRICITY_SQUARED * Math.sin(latitude) ** 2);
    const lift = EQUATOR_KM * curvature * ECCENTRICITY_SQUARED * Math.sin(latitude);
    latitude = Math.atan2(z + lift, radius);
  }
  const normal = EQUATOR_KM * curvature;
  const sin = Math.sin(latitude);
  const heightKm =
    radius * Math.cos(latitude) + (z + ECCENTRICITY_SQUARED * normal * sin) * sin - normal;
  return {
    latitudeDeg: latitude / RADIANS,
    longitudeDeg: Math.atan2(y, x) / RADIANS,
    heightM: heightKm * 1_000,
  };
};
