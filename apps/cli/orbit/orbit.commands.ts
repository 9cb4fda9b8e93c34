import { type Command } from 'commander';
import {
  command,
  commandGroup,
  type DeclareCommands,
  type Invoke,
  irreversible,
} from '../declare-command.js';
import { limitOf, pageLimitOf } from '../options.js';
import { type ImportElementsOptions } from './import-elements.js';
import { degreesOf, metresOf } from './orbit.options.js';
import { type ListOptions } from './list-orbit.js';
import { type AddStationOptions, type RetireStationOptions } from './change-stations.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const orbit = commandGroup(program, 'orbit', 'Ground stations and elements of satellites.');
  addStations(orbit, invoke);
  addSatellites(orbit, invoke);
};

const addStations = (orbit: Command, invoke: Invoke): void => {
  command(orbit, 'add-station', 'Register a ground station.')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--latitude <degrees>', 'north of the equator', degreesOf(-90, 90))
    .requiredOption('--longitude <degrees>', 'east of Greenwich', degreesOf(-180, 180))
    .option('--height <metres>', 'above the ellipsoid of WGS 84', metresOf, 0)
    .option('--min-elevation <degrees>', 'below it nothing is received', degreesOf(0, 89), 10)
    .action((options: AddStationOptions) =>
      invoke(options, async () => (await import('./change-stations.js')).addStation),
    );
  irreversible(orbit, 'retire-station', 'Retire a ground station.')
    .argument('<id>', 'the id that stations shows', limitOf)
    .action((id: number, options: Omit<RetireStationOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./change-stations.js')).retireStation),
    );
  command(orbit, 'stations', 'List the ground stations.')
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .option('--limit <count>', 'how many at most', pageLimitOf, 20)
    .action((options: ListOptions) =>
      invoke(options, async () => (await import('./list-orbit.js')).listStations),
    );
};

const addSatellites = (orbit: Command, invoke: Invoke): void => {
  command(orbit, 'import', 'Import elements: TLE, or OMM as KVN or as JSON.')
    .argument('<file>', 'the file, with at most 500 sets')
    .requiredOption('--source <text>', 'where the elements come from, such as CelesTrak')
    .action((file: string, options: Omit<ImportElementsOptions, 'file'>) =>
      invoke(
        { ...options, file },
        async () => (await import('./import-elements.js')).importElements,
      ),
    );
  command(orbit, 'satellites', 'List the satellites.')
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .option('--limit <count>', 'how many at most', pageLimitOf, 20)
    .action((options: ListOptions) =>
      invoke(options, async () => (await import('./list-orbit.js')).listSatellites),
    );
};
