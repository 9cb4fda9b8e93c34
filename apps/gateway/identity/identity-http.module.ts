import { randomUUID } from 'node:crypto';
import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PassportModule } from '@nestjs/passport';
import { DefineTenantCommand } from '#areas/identity/tenants/define-tenant.handler.js';
import { IDENTITY_SETTINGS, type IdentitySettings } from '#areas/identity/identity.settings.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { ApiKeysController } from './api-keys.controller.js';
import { AppTokenGuard } from './app-token.guard.js';
import { AppTokenStrategy } from './app-token.strategy.js';
import { AttemptThrottle } from './attempt-throttle.js';
import { AuthController } from './auth.controller.js';
import { KeyOwnerGuard } from './key-owner.guard.js';
import { TwoFactorController } from './two-factor.controller.js';

@Module({
  imports: [PassportModule.register({ property: 'caller' })],
  controllers: [AuthController, TwoFactorController, ApiKeysController],
  providers: [AttemptThrottle, AppTokenStrategy, AppTokenGuard, KeyOwnerGuard],
})
export class IdentityHttpModule implements OnApplicationBootstrap {
  constructor(
    private readonly commands: CommandBus,
    @Inject(IDENTITY_SETTINGS) private readonly settings: IdentitySettings,
  ) {}

  /** Brings the tenant up to date with the settings of this start. */
  async onApplicationBootstrap(): Promise<void> {
    const context = contextOf(randomUUID(), 'system');
    await this.commands.execute(new DefineTenantCommand(this.settings.tenant, context));
  }
}
