import { randomUUID } from 'node:crypto';
import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PassportModule } from '@nestjs/passport';
import { DefineTenantCommand } from '#areas/identity/tenants/define-tenant.handler.js';
import { IDENTITY_SETTINGS, type IdentitySettings } from '#areas/identity/identity.settings.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { ApiKeysController } from './api-keys.controller.js';
import { AppTokenGuard } from './app-token.guard.js';
import { AppTokenStrategy } from './app-token.strategy.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { AuthController } from './auth.controller.js';
import { GroupRulesController } from './group-rules.controller.js';
import { ConsoleCookies } from './console-cookies.js';
import { ConsoleSessionController } from './console-session.controller.js';
import { KeyOwnerGuard } from './key-owner.guard.js';
import { OpenIdController } from './openid.controller.js';
import { SessionsController, UserSessionsController } from './sessions.controller.js';
import { TwoFactorController } from './two-factor.controller.js';
import { UsersController } from './users.controller.js';

@Module({
  imports: [PassportModule.register({ property: 'caller' })],
  controllers: [
    AuthController,
    OpenIdController,
    GroupRulesController,
    ConsoleSessionController,
    TwoFactorController,
    ApiKeysController,
    UsersController,
    SessionsController,
    UserSessionsController,
  ],
  providers: [SignInThrottle, AppTokenStrategy, AppTokenGuard, KeyOwnerGuard, ConsoleCookies],
  exports: [SignInThrottle],
})
export class IdentityHttpModule implements OnApplicationBootstrap {
  constructor(
    private readonly commands: CommandBus,
    private readonly events: ProcessEvents,
    @Inject(IDENTITY_SETTINGS) private readonly settings: IdentitySettings,
  ) {}

  /** Brings the tenant up to date with the settings of this start. */
  async onApplicationBootstrap(): Promise<void> {
    const { tenant } = this.settings;
    await this.#define(tenant);
    // With port 0 the address is known only later; a web host from the settings stays.
    if (new URL(tenant.baseUrl).port !== '0') return;
    this.events.onListening((baseUrl) => this.#define({ ...tenant, baseUrl }));
  }

  async #define(tenant: IdentitySettings['tenant']): Promise<void> {
    const context = contextOf(randomUUID(), 'system');
    await this.commands.execute(new DefineTenantCommand(tenant, context));
  }
}
