import { overlapOf } from '../detection/boxes.js';
import { type Box } from '../vision.protocol.js';

/** An object of a frame that can be followed. */
export interface Trackable {
  readonly label: string;
  readonly box: Box;
}

interface Track {
  readonly id: number;
  readonly label: string;
  readonly box: Box;
  /** Change of the box for one frame. */
  readonly speed: Box;
  /** Frames since it was seen. */
  readonly missed: number;
}

/** The least overlap of an object with the place where its track is expected. */
const OVERLAP_LEAST = 0.2;
/** A track that was not seen in more frames has ended. */
export const MISSED_MAX = 5;
export const TRACKS_MAX = 64;
/** The gains of a steady Kalman filter of places and speeds. */
const [GAIN, SPEED_GAIN] = [0.8, 0.4];

/**
 * Gives each object of the frames of one stream a number, which it keeps from frame to frame: a
 * constant speed says where a track is expected, and the largest overlaps are matched first.
 */
export class Tracker {
  #tracks: readonly Track[] = [];
  #lastId = 0;

  get tracks(): number {
    return this.#tracks.length;
  }

  /** The track of each object of the next frame; null beyond the limit of tracks. */
  follow(objects: readonly Trackable[]): (number | null)[] {
    const expected = this.#tracks.map((track) => ({
      ...track,
      box: plus(track.box, track.speed, 1),
    }));
    const matches = matched(expected, objects);
    const seen = new Set(matches.values());
    const next: Track[] = expected
      .filter((_, at) => !seen.has(at))
      .map((track) => ({ ...track, missed: track.missed + 1 }))
      .filter(({ missed }) => missed <= MISSED_MAX);
    let room = TRACKS_MAX - next.length - matches.size;
    const ids = objects.map(({ label, box }, at) => {
      const track = expected[matches.get(at) ?? -1];
      if (track) {
        const off = plus(box, track.box, -1);
        const speed = plus(track.speed, off, SPEED_GAIN);
        next.push({ ...track, box: plus(track.box, off, GAIN), speed, missed: 0 });
        return track.id;
      }
      if (room === 0) return null;
      room -= 1;
      this.#lastId += 1;
      next.push({ id: this.#lastId, label, box, speed: [0, 0, 0, 0], missed: 0 });
      return this.#lastId;
    });
    this.#tracks = next;
    return ids;
  }
}

/** The place of the track of each object that has one. */
const matched = (
  tracks: readonly Trackable[],
  objects: readonly Trackable[],
): ReadonlyMap<number, number> => {
  const pairs = objects.flatMap((object, at) =>
    tracks.flatMap((track, of) => {
      const overlap = track.label === object.label ? overlapOf(track.box, object.box) : 0;
      return overlap >= OVERLAP_LEAST ? [{ at, of, overlap }] : [];
    }),
  );
  const found = new Map<number, number>();
  const taken = new Set<number>();
  for (const { at, of } of pairs.toSorted((a, b) => b.overlap - a.overlap)) {
    if (found.has(at) || taken.has(of)) continue;
    found.set(at, of);
    taken.add(of);
  }
  return found;
};

const plus = (one: Box, other: Box, times: number): Box => [
  one[0] + times * other[0],
  one[1] + times * other[1],
  one[2] + times * other[2],
  one[3] + times * other[3],
];
