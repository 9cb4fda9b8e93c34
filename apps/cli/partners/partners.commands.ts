import { type Command, InvalidArgumentError } from 'commander';
import { Branding, PartnerSlug } from '#events/partners/partner.vocabulary.js';
import { basisPointsOf } from '../basis-points.js';
import { command, commandGroup, type DeclareCommands, type Invoke } from '../declare-command.js';
import { limitOf, pageLimitOf } from '../options.js';
import { type ChangeFleetOptions } from './change-fleet.js';
import { type ChangeMemberOptions } from './change-member.js';
import { type ChangeShareOptions } from './change-share.js';
import { type CreatePartnerOptions } from './create-partner.js';
import { type ListPartnersOptions } from './list-partners.js';

const PAGE = 100;
const NAME_LENGTH_MAX = 100;
const PARTNER = ['--partner <id>', 'the id of the partner', limitOf] as const;

const slugOf = (text: string): string => {
  if (PartnerSlug.safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected lower case letters, digits and dashes.');
};

const nameOf = (text: string): string => {
  if (text.trim() !== '' && text.length <= NAME_LENGTH_MAX) return text;
  throw new InvalidArgumentError(`Expected 1 to ${NAME_LENGTH_MAX} characters.`);
};

const colorOf = (text: string): string => {
  if (Branding.shape.primaryColor.safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected a colour such as #7a3e1d.');
};

export const declareCommands: DeclareCommands = (program, invoke) => {
  const partner = commandGroup(program, 'partner', 'Keep partners, their users and their rigs.');
  command(partner, 'list', 'List the partners.')
    .option('--page <number>', 'the page, from 1', limitOf, 1)
    .option('--limit <number>', 'how many at most', pageLimitOf, PAGE)
    .action((options: ListPartnersOptions) =>
      invoke(options, async () => (await import('./list-partners.js')).listPartners),
    );
  addTerms(partner, invoke);
  addMembers(partner, invoke);
  addFleet(partner, invoke);
};

const addTerms = (partner: Command, invoke: Invoke): void => {
  command(partner, 'create', 'Register a partner.')
    .requiredOption('--slug <slug>', 'its name in addresses; unique, and never changed', slugOf)
    .requiredOption('--name <name>', 'the name of the company', nameOf)
    .requiredOption('--share <percent>', 'what it gets of each charge', basisPointsOf)
    .option('--max-share <percent>', 'what it may raise the share to; default: it', basisPointsOf)
    .option('--primary-color <color>', 'a colour of its pages', colorOf, '#7a3e1d')
    .option('--accent-color <color>', 'a colour of its pages', colorOf, '#c9a227')
    .option('--body-color <color>', 'the background of its pages', colorOf, '#ffffff')
    .option('--card-color <color>', 'the background of boxes', colorOf, '#f5f0e8')
    .action((options: CreatePartnerOptions) =>
      invoke(options, async () => (await import('./create-partner.js')).createPartner),
    );
  command(partner, 'share', 'Change the revenue share, for the charges that follow.')
    .requiredOption(...PARTNER)
    .requiredOption('--share <percent>', 'what it gets of each charge', basisPointsOf)
    .option('--max-share <percent>', 'what it may raise the share to', basisPointsOf)
    .action((options: ChangeShareOptions) =>
      invoke(options, async () => (await import('./change-share.js')).changeShare),
    );
};

const addMembers = (partner: Command, invoke: Invoke): void => {
  const members = [
    ['add-user', 'Add an existing user as a sub-user.', 'addSubUser'],
    ['remove-user', 'Take a sub-user from a partner; the user stays.', 'removeSubUser'],
    ['add-manager', 'Let a user with the role Partner manage a partner.', 'addManager'],
    ['remove-manager', 'Let a user no longer manage a partner.', 'removeManager'],
  ] as const;
  for (const [usage, description, run] of members) {
    command(partner, usage, description)
      .requiredOption(...PARTNER)
      .requiredOption('--user <name>', 'the name of the user')
      .action((options: ChangeMemberOptions) =>
        invoke(options, async () => (await import('./change-member.js'))[run]),
      );
  }
};

const addFleet = (partner: Command, invoke: Invoke): void => {
  const fleet = [
    ['assign-rig', 'Put a rig of the catalog into the fleet of a partner.', 'assignRig'],
    ['remove-rig', 'Take a rig out of the fleet of a partner.', 'removeRig'],
  ] as const;
  for (const [usage, description, run] of fleet) {
    command(partner, usage, description)
      .requiredOption(...PARTNER)
      .requiredOption('--rig <name>', 'the name of the rig')
      .action((options: ChangeFleetOptions) =>
        invoke(options, async () => (await import('./change-fleet.js'))[run]),
      );
  }
};
