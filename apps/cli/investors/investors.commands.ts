import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { basisPointsOf } from '../basis-points.js';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { limitOf, usdOf } from '../options.js';
import { type AllocateShareOptions } from './allocate-share.js';
import { type EndShareOptions } from './end-share.js';
import { type ShowInvestorOptions } from './show-investor.js';

const dateOf = (text: string): string => {
  if (z.iso.date().safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected a date such as 2026-10-01.');
};

const idOf = (text: string): string => {
  if (z.uuid().safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected the id of an allocation.');
};

export const declareCommands: DeclareCommands = (program, invoke) => {
  const investor = commandGroup(program, 'investor', 'Keep the shares of investors in rigs.');
  command(investor, 'show', 'Show the shares of an investor, and what their rigs earned.')
    .requiredOption('--user <name>', 'a user with the role Investor')
    .action((options: ShowInvestorOptions) =>
      invoke(options, async () => (await import('./show-investor.js')).showInvestor),
    );
  command(investor, 'allocate', 'Allocate a share of a rig, for the charges that follow.')
    .requiredOption('--user <name>', 'a user with the role Investor')
    .requiredOption('--rig <name>', 'the name of the rig')
    .requiredOption('--share <percent>', 'the part of the rig', basisPointsOf)
    .requiredOption('--fee <percent>', 'what the platform keeps of its revenue', basisPointsOf)
    .requiredOption('--gpus <number>', 'the GPUs of the share', limitOf)
    .requiredOption('--price <usd>', 'the purchase price in dollars', usdOf)
    .requiredOption('--purchased-on <date>', 'the day of the purchase, UTC', dateOf)
    .action((options: AllocateShareOptions) =>
      invoke(options, async () => (await import('./allocate-share.js')).allocateShare),
    );
  command(investor, 'end', 'End a share of a rig; what it earned stays.')
    .requiredOption('--rig <name>', 'the name of the rig')
    .requiredOption('--allocation <id>', 'the id of the allocation', idOf)
    .action((options: EndShareOptions) =>
      invoke(options, async () => (await import('./end-share.js')).endShare),
    );
};
