import { Map as ImmutableMap } from 'immutable';
import {
  type StationEvent,
  StationRegistered,
  StationRetired,
} from '#events/orbit/orbit.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from './orbit.errors.js';
import { BUILT_IN_STATIONS } from './built-in.stations.js';

/** Registered at a time. */
export const STATIONS_MAX = 1_000;

export type StationOrder = Omit<StationRegistered['data'], 'stationId'>;

export type StationCommand =
  | { readonly type: 'RegisterStation'; readonly data: StationOrder }
  | { readonly type: 'RetireStation'; readonly data: StationRetired['data'] };

export interface StationState {
  readonly lastId: number;
  /** The registered ones, by id. */
  readonly open: ImmutableMap<number, StationRegistered['data']>;
}

const isAt = (one: StationOrder, other: StationOrder): boolean =>
  one.latitudeDeg === other.latitudeDeg &&
  one.longitudeDeg === other.longitudeDeg &&
  one.heightM === other.heightM &&
  one.minElevationDeg === other.minElevationDeg;

const decide = ({ type, data }: StationCommand, { lastId, open }: StationState): StationEvent[] => {
  switch (type) {
    case 'RegisterStation': {
      const taken = stationNamed(data.name, open);
      if (taken && isAt(taken, data)) return [];
      const isBuiltIn = BUILT_IN_STATIONS.some(({ name }) => name === data.name);
      if (taken || isBuiltIn) {
        return reject('station_name_taken', `there is another station ${data.name}`);
      }
      if (open.size >= STATIONS_MAX) {
        return reject('too_many_stations', `there are ${STATIONS_MAX} stations; retire one first`);
      }
      return [StationRegistered.of({ stationId: lastId + 1, ...data })];
    }
    case 'RetireStation': {
      const { stationId } = data;
      if (open.has(stationId)) return [StationRetired.of(data)];
      if (BUILT_IN_STATIONS.some((one) => one.stationId === stationId)) {
        return reject('station_built_in', `station ${stationId} ships with Quipu and stays`);
      }
      return reject('station_not_found', `there is no station ${stationId}`);
    }
  }
};

const evolve = ({ lastId, open }: StationState, { type, data }: StationEvent): StationState => {
  switch (type) {
    case 'StationRegistered':
      return { lastId: data.stationId, open: open.set(data.stationId, data) };
    case 'StationRetired':
      return { lastId, open: open.delete(data.stationId) };
  }
};

/** Names are unique among the registered stations. */
export const stationNamed = (
  name: string,
  open: StationState['open'],
): StationRegistered['data'] | undefined => open.find((one) => one.name === name);

export const stationDecider: Decider<StationCommand, StationState, StationEvent> = {
  initialState: { lastId: BUILT_IN_STATIONS.length, open: ImmutableMap() },
  decide,
  evolve,
};
