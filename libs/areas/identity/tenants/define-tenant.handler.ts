import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type IdentitySettings } from '../identity.settings.js';
import { IdentityStreams, tenantStream } from '../identity.streams.js';
import { DEFAULT_TENANT } from './tenant.decider.js';

/** Sets the name and the looks of the tenant that all users belong to. Idempotent. */
export class DefineTenantCommand extends Command<void> {
  constructor(
    readonly data: IdentitySettings['tenant'],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(DefineTenantCommand)
export class DefineTenantHandler implements ICommandHandler<DefineTenantCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: DefineTenantCommand): Promise<void> {
    const tenant = { ...data, slug: DEFAULT_TENANT, definedAt: instant(this.clock) };
    const command = { type: 'DefineTenant', data: tenant } as const;
    await this.streams.tenants.run(tenantStream(DEFAULT_TENANT), command, context);
  }
}
