import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { limitOf, pageLimitOf } from '../options.js';
import { type ListPlacementsOptions } from './list-placements.js';
import { type ReleasePlacementOptions } from './release-placement.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const placement = commandGroup(program, 'placement', 'List and release placed pipelines.');
  command(placement, 'list', 'List the placements, newest first.')
    .option('--user <name>', 'only placements of the account of this user')
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .option('--limit <count>', 'how many at most', pageLimitOf, 20)
    .action((options: ListPlacementsOptions) =>
      invoke(options, async () => (await import('./list-placements.js')).listPlacements),
    );
  command(placement, 'release', 'Free the memory of a placement, of any account.')
    .argument('<id>', 'the id that list shows', limitOf)
    .action((id: number, options: Omit<ReleasePlacementOptions, 'id'>) =>
      invoke(
        { ...options, id },
        async () => (await import('./release-placement.js')).releasePlacement,
      ),
    );
};
