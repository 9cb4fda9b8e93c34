import { Argument } from 'commander';
import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { daysOf, usdOf } from '../options.js';
import { type SetAlertsOptions, type ShowAlertsOptions } from './alert-rules.js';
import { type MailAlertsOptions } from './mail-alerts.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const alerts = commandGroup(program, 'alerts', 'Set and show the alerts of an account.');
  command(alerts, 'set', 'Replace the rules of an account: one that is left out is removed.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--balance-below <usd>', 'alert while less is available', usdOf)
    .option('--days-left-below <days>', 'alert while the balance lasts fewer days', daysOf)
    .option('--spend-anomaly', 'alert after an hour with unusual charges')
    .option('--key-ends-within <days>', 'alert when a key ends within so many days', daysOf)
    .option('--rig-down', 'alert while a rig is down; for an operator')
    .action((options: SetAlertsOptions) =>
      invoke(options, async () => (await import('./alert-rules.js')).setAlerts),
    );
  command(alerts, 'show', 'Show the rules of an account and its last alerts.')
    .requiredOption('--user <name>', 'the owner of the account')
    .action((options: ShowAlertsOptions) =>
      invoke(options, async () => (await import('./alert-rules.js')).showAlerts),
    );
  command(alerts, 'mail', 'Have messages about money, keys and rigs mailed to the owner, or not.')
    .addArgument(new Argument('<state>', 'whether they are mailed').choices(['on', 'off']))
    .requiredOption('--user <name>', 'the owner of the account')
    .action((state: 'on' | 'off', options: Omit<MailAlertsOptions, 'state'>) =>
      invoke({ ...options, state }, async () => (await import('./mail-alerts.js')).mailAlerts),
    );
};
