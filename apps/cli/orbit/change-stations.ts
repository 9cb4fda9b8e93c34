import {
  RegisterStationCommand,
  RetireStationCommand,
} from '#areas/orbit/change-stations.handlers.js';
import { confirm } from '../confirmation.js';
import {
  type CommonOptions,
  type Invocation,
  type IrreversibleOptions,
  type Outcome,
} from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { ORBIT_NEEDS } from './orbit.needs.js';

export interface AddStationOptions extends CommonOptions {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly height: number;
  readonly minElevation: number;
}

const NEEDS = { ...ORBIT_NEEDS, projections: [] };

export const addStation = async (
  { name, latitude, longitude, height, minElevation }: AddStationOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const asked = {
    name,
    latitudeDeg: latitude,
    longitudeDeg: longitude,
    heightM: height,
    minElevationDeg: minElevation,
  };
  const { station } = await withQuipu(invocation, NEEDS, ({ commands, context }) =>
    commands.execute(new RegisterStationCommand(asked, context())),
  );
  return {
    json: { station_id: station.stationId, name, registered_at: station.registeredAt },
    text: `${name} is station ${station.stationId}.`,
  };
};

export interface RetireStationOptions extends IrreversibleOptions {
  readonly id: number;
}

export const retireStation = async (
  options: RetireStationOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { id } = options;
  const consequence = `No contact is planned with station ${id} any more.`;
  const otherwise = 'no station was retired';
  await confirm({ word: String(id), consequence, otherwise }, options, invocation);
  await withQuipu(invocation, NEEDS, ({ commands, context }) =>
    commands.execute(new RetireStationCommand(id, context())),
  );
  return { json: { station_id: id, status: 'retired' }, text: `Station ${id} was retired.` };
};
