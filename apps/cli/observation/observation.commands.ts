import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { instantOf, limitOf, pageLimitOf } from '../options.js';
import { type IngestOptions } from './ingest-image.js';
import { type ListImagesOptions, type ShowImageOptions } from './show-images.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const observation = commandGroup(program, 'observation', 'Images of the Earth.');
  command(observation, 'list', 'List the images of an account, the newest acquisition first.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .option('--limit <count>', 'how many at most', pageLimitOf, 20)
    .action((options: ListImagesOptions) =>
      invoke(options, async () => (await import('./show-images.js')).listImages),
    );
  command(observation, 'show', 'Show an image.')
    .argument('<id>', 'the id of the ingest')
    .action((id: string, options: Omit<ShowImageOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./show-images.js')).showImage),
    );
  command(observation, 'ingest', 'Verify and store an image; its account is charged.')
    .argument('<file>', 'a GeoTIFF, plain or compressed by gzip or zlib')
    .requiredOption('--user <name>', 'the owner of the account')
    .requiredOption('--satellite <id>', 'which satellite took it')
    .option('--sensor <type>', 'images of one type are one collection', 'multispectral')
    .option('--region <text>', 'WKT or GeoJSON in degrees: the image must meet it')
    .option('--station <name>', 'which station received it (default: the one that ships)')
    .option('--acquired-at <instant>', 'the acquisition (default: as the file says)', instantOf)
    .action((file: string, options: Omit<IngestOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./ingest-image.js')).ingestImage),
    );
};
