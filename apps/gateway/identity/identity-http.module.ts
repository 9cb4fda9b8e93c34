import { randomUUID } from 'node:crypto';
import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DefineTenantCommand } from '#areas/identity/tenants/define-tenant.handler.js';
import { IDENTITY_SETTINGS, type IdentitySettings } from '#areas/identity/identity.settings.js';
import { type Clock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { ApiKeysController } from './api-keys.controller.js';
import { AppTokenGuard } from './app-token.guard.js';
import { AppTokenStrategy } from './app-token.strategy.js';
import { AttemptThrottle } from './attempt-throttle.js';
import { AuthController } from './auth.controller.js';
import { KeyOwnerGuard } from './key-owner.guard.js';
import { TwoFactorController } from './two-factor.controller.js';

const throttle = {
  provide: AttemptThrottle,
  inject: [CLOCK],
  useFactory: (clock: Clock): AttemptThrottle => new AttemptThrottle(clock),
};

@Module({
  controllers: [AuthController, TwoFactorController, ApiKeysController],
  providers: [throttle, AppTokenStrategy, AppTokenGuard, KeyOwnerGuard],
})
export class IdentityHttpModule implements OnApplicationBootstrap {
  constructor(
    private readonly commands: CommandBus,
    @Inject(IDENTITY_SETTINGS) private readonly settings: IdentitySettings,
  ) {}

  /** The tenant is as the settings of this start say. */
  async onApplicationBootstrap(): Promise<void> {
    const context = contextOf(randomUUID(), 'system');
    await this.commands.execute(new DefineTenantCommand(this.settings.tenant, context));
  }
}
