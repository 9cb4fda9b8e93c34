import { Option } from 'commander';
import { DISTILLATION_JOB, FINE_TUNING_JOB } from '#events/training/training.job.js';
import { SHOWN_STATUSES } from '#projections/jobs/jobs.projection.js';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type JobOptions } from '../jobs/job-fields.js';
import { type ShowJobOptions } from '../jobs/show-job.js';
import { pageLimitOf, prefixOf } from '../options.js';
import { type ListTrainingsOptions } from './list-trainings.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const training = commandGroup(program, 'training', 'List, show and cancel trainings.');
  command(training, 'list', 'List the trainings of an account, newest first.')
    .requiredOption('--user <name>', 'the owner of the account')
    .addOption(
      new Option('--type <name>', 'only trainings of this type').choices([
        DISTILLATION_JOB,
        FINE_TUNING_JOB,
      ]),
    )
    .addOption(
      new Option('--state <state>', 'only trainings in this state').choices(SHOWN_STATUSES),
    )
    .option('--after <id>', 'begin after this training', prefixOf)
    .option('--limit <count>', 'the number of trainings, at most 1,000', pageLimitOf, 20)
    .action((options: ListTrainingsOptions) =>
      invoke(options, async () => (await import('./list-trainings.js')).listTrainings),
    );
  command(training, 'show', 'Show a training: its models, its losses and its figures.')
    .argument('<id>', 'the id that list shows')
    .option('--watch', 'follow the training until its end, or Ctrl-C')
    .action((id: string, options: Omit<ShowJobOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./show-training.js')).showTraining),
    );
  command(training, 'cancel', 'Cancel a training; the time that it was trained is charged.')
    .argument('<id>', 'the id that list shows')
    .action((id: string, options: Omit<JobOptions, 'id'>) =>
      invoke({ ...options, id }, async () => (await import('./cancel-training.js')).cancelTraining),
    );
};
