import { describe, it } from '@jest/globals';
import { StationRegistered, StationRetired } from '#events/orbit/orbit.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type StationCommand, stationDecider, STATIONS_MAX } from './station.decider.js';

const stations = deciderSpecOf(stationDecider);
const AT = '2026-11-25T19:00:00.000Z';
const QUITO = {
  name: 'Quito',
  latitudeDeg: -0.215,
  longitudeDeg: -78.5027,
  heightM: 3_000,
  minElevationDeg: 5,
  registeredAt: AT,
};
const register = (data: typeof QUITO): StationCommand => ({ type: 'RegisterStation', data });
const retire = (stationId: number): StationCommand => ({
  type: 'RetireStation',
  data: { stationId, retiredAt: AT },
});
const registered = (stationId: number, more = {}) =>
  StationRegistered.of({ stationId, ...QUITO, ...more });
const retired = (stationId: number) => StationRetired.of({ stationId, retiredAt: AT });

describe('registering a station', () => {
  it('gives it the id after the last one', () => {
    stations.given().when(register(QUITO)).then(registered(2));
    stations.given(registered(2), retired(2)).when(register(QUITO)).then(registered(3));
  });

  it('changes nothing where it is registered', () => {
    const later = { ...QUITO, registeredAt: '2026-11-26T19:00:00.000Z' };
    stations.given(registered(2)).when(register(later)).thenNothing();
  });

  it('is refused where another one has the name', () => {
    const moved = { ...QUITO, heightM: 2_999 };
    stations.given(registered(2)).when(register(moved)).thenThrows('station_name_taken');
    const built = { ...QUITO, name: 'Royal Observatory, Greenwich' };
    stations.given().when(register(built)).thenThrows('station_name_taken');
  });

  it('is refused above the limit', () => {
    const all = Array.from({ length: STATIONS_MAX }, (_, n) =>
      registered(n + 2, { name: `Station ${n}` }),
    );
    stations
      .given(...all)
      .when(register(QUITO))
      .thenThrows('too_many_stations');
    stations
      .given(...all, retired(2))
      .when(register(QUITO))
      .then(registered(STATIONS_MAX + 2));
  });
});

describe('retiring a station', () => {
  it('ends it', () => {
    stations.given(registered(2)).when(retire(2)).then(retired(2));
  });

  it('is refused for one that there is not, and for the one that ships', () => {
    stations.given(registered(2), retired(2)).when(retire(2)).thenThrows('station_not_found');
    stations.given().when(retire(1)).thenThrows('station_built_in');
  });
});
