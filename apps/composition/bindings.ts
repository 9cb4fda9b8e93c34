import { type Provider } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { AccountOverviewQuery } from '#areas/billing/account-overview.handler.js';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { AccountOpener } from '#areas/identity/accounts/account-opener.port.js';
import { BalanceReader } from '#areas/identity/accounts/balance-reader.port.js';
import { MODEL_CATALOG, RIGS } from '#areas/inference/ports.js';
import { createTextEngine } from '#areas/inference/text/text-over-tasks.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type Area } from '#platform/runtime/area.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { bindRigs } from './rigs.binding.js';

/** Binds the ports of one area to services of other areas. */
interface Binding {
  /** The area that declares the ports. The binding is skipped without it. */
  readonly of: string;
  readonly providers: readonly Provider[];
}

const bindings: readonly Binding[] = [
  {
    of: 'inference',
    providers: [
      { provide: MODEL_CATALOG, inject: [Catalog], useFactory: (catalog: Catalog) => catalog },
      {
        provide: RIGS,
        inject: [Catalog, Tasks, LOGGER],
        useFactory: (catalog: Catalog, tasks: Tasks, logger: Logger) =>
          bindRigs(catalog, createTextEngine(tasks), logger),
      },
    ],
  },
  {
    of: 'identity',
    providers: [
      {
        provide: AccountOpener,
        inject: [CommandBus, CLOCK],
        useFactory: (commands: CommandBus, clock: Clock): AccountOpener => ({
          open: async (accountId, context) => {
            const data = { accountId, currency: 'USD', openedAt: instant(clock) } as const;
            await commands.execute(
              new ChangeAccountCommand({ type: 'OpenAccount', data }, context),
            );
          },
        }),
      },
      {
        provide: BalanceReader,
        inject: [QueryBus],
        useFactory: (queries: QueryBus): BalanceReader => ({
          balanceMicroUsd: async (accountId) =>
            (await queries.execute(new AccountOverviewQuery(accountId))).balance,
        }),
      },
    ],
  },
];

/** The bindings of a process with these areas. */
export const bindingsOf = (areas: readonly Area[]): readonly Provider[] =>
  bindings
    .filter(({ of }) => areas.some(({ name }) => name === of))
    .flatMap(({ providers }) => providers);
