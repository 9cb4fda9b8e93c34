import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { orderedScopes } from '#areas/identity/keys/key-policy.js';
import { MailPasswordResetCommand } from '#areas/identity/passwords/mail-reset.handler.js';
import { OfferPasswordResetCommand } from '#areas/identity/passwords/offer-reset.handler.js';
import { ResetPasswordCommand } from '#areas/identity/passwords/reset-password.handler.js';
import { ChangeUserCommand, type UserChange } from '#areas/identity/users/change-user.handler.js';
import { CreateUserCommand } from '#areas/identity/users/create-user.handler.js';
import { EraseUserCommand } from '#areas/identity/users/erase-user.handler.js';
import { UsersQuery, type UserView } from '#areas/identity/users/list-users.handler.js';
import { UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { callerContext } from './caller-context.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PageDto, presentPage } from '../pages/page.dto.js';
import { AccountOwnerGuard } from './account-owner.guard.js';
import { CurrentCaller } from './caller.decorator.js';
import { Roles } from './roles.decorator.js';
import { Scope } from './scope.decorator.js';
import {
  ChangedUserDto,
  ChangeRoleDto,
  ClosedAccountDto,
  CreatedUserDto,
  CreateUserDto,
  ERASED,
  KEPT,
  ListedUserDto,
  OfferedResetDto,
  OfferResetDto,
  ResetPasswordDto,
  UserIdDto,
  UserListDto,
} from './users.dto.js';

/** The users of the installation, for its operators; an addition to the promised interface. */
@ApiTags('identity')
@Credentials('api-key', 'app-token', 'provider-token')
@Roles('Admin')
@UseGuards(AccountOwnerGuard)
@Scope('operate')
@Controller('api/v1/users')
export class UsersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the users', description: 'In the order of their ids.' })
  @ApiOkResponse({ type: UserListDto, description: 'A page of the users.' })
  async list(@Query() query: PageDto): Promise<UserListDto> {
    const found = await this.queries.execute(new UsersQuery(query.page, query.limit));
    return { ...presentPage(query, found), users: found.users.map(presentUser) };
  }

  @Post()
  @ApiOperation({
    summary: 'Create a user with an account and two keys',
    description: 'Only this answer shows the secrets.',
  })
  @ApiCreatedResponse({ type: CreatedUserDto, description: 'The user with the secrets.' })
  @FailsWith(
    'invalid_email',
    'scope_not_allowed',
    'username_taken',
    'email_taken',
    'authentication_busy',
  )
  async create(
    @Body() { password, scopes, ...body }: CreateUserDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CreatedUserDto> {
    const data = { ...body, password: password ?? null, scopes: orderedScopes(scopes) };
    const command = new CreateUserCommand(data, callerContext(request, caller));
    const created = await this.commands.execute(command);
    return {
      success: true,
      user_id: created.userId,
      account_id: created.accountId,
      username: created.username,
      role: created.role,
      api_key: created.apiKey,
      renter_key: created.renterKey,
      password: created.generatedPassword,
    };
  }

  @Put(':user_id/role')
  @ApiOperation({ summary: 'Give a user another role', description: 'It counts at once.' })
  @ApiOkResponse({ type: ChangedUserDto, description: 'The user has the role.' })
  @FailsWith('user_not_found')
  changeRole(
    @Param() { user_id: userId }: UserIdDto,
    @Body() { role }: ChangeRoleDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<ChangedUserDto> {
    return this.#change(userId, { kind: 'role', role }, callerContext(request, caller));
  }

  @Post(':user_id/disable')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Disable a user',
    description: 'No credential of the user is valid until the user is enabled.',
  })
  @ApiOkResponse({ type: ChangedUserDto, description: 'The user is disabled.' })
  @FailsWith('user_not_found')
  disable(
    @Param() { user_id: userId }: UserIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<ChangedUserDto> {
    return this.#change(userId, { kind: 'disable' }, callerContext(request, caller));
  }

  @Post(':user_id/enable')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Enable a disabled user',
    description: 'Keys and sessions that have not ended are valid again.',
  })
  @ApiOkResponse({ type: ChangedUserDto, description: 'The user is enabled.' })
  @FailsWith('user_not_found')
  enable(
    @Param() { user_id: userId }: UserIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<ChangedUserDto> {
    return this.#change(userId, { kind: 'enable' }, callerContext(request, caller));
  }

  @Post(':user_id/reset_password')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Give a user another password',
    description: 'For a user who has lost it. The sessions of the user end; keys stay valid.',
  })
  @ApiOkResponse({ type: ResetPasswordDto, description: 'The password, shown once.' })
  @FailsWith('user_not_found', 'authentication_busy')
  async resetPassword(
    @Param() { user_id: userId }: UserIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<ResetPasswordDto> {
    const command = new ResetPasswordCommand(UserId.parse(userId), callerContext(request, caller));
    const password = await this.commands.execute(command);
    return { success: true, user_id: userId, password };
  }

  @Post(':user_id/password_reset')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Offer a user another password',
    description:
      'Hand the token over to the user, or have it mailed. The user sets a password with it ' +
      'once, within a day (`POST /api/v1/auth/password_reset`). The present password stays ' +
      'valid until then.',
  })
  @ApiOkResponse({ type: OfferedResetDto, description: 'The token, shown once.' })
  @FailsWith('user_not_found', 'mail_not_set_up', 'mail_not_sent')
  async offerReset(
    @Param() { user_id: userId }: UserIdDto,
    @Body() { send_mail: sendsMail }: OfferResetDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<OfferedResetDto> {
    const context = callerContext(request, caller);
    const user = UserId.parse(userId);
    const { token, expiresAt } = sendsMail
      ? {
          token: null,
          ...(await this.commands.execute(new MailPasswordResetCommand(user, context))),
        }
      : await this.commands.execute(new OfferPasswordResetCommand(user, context));
    return { success: true, user_id: userId, token, expires_at: expiresAt };
  }

  @Post(':user_id/reset_second_factor')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Turn the second factor of a user off',
    description: 'For a user who has lost the authenticator and the recovery codes.',
  })
  @ApiOkResponse({ type: ChangedUserDto, description: 'The user has no second factor.' })
  @FailsWith('user_not_found')
  resetSecondFactor(
    @Param() { user_id: userId }: UserIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<ChangedUserDto> {
    return this.#change(userId, { kind: 'reset_two_factor' }, callerContext(request, caller));
  }

  @Delete(':user_id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Close the account of a user',
    description:
      'Destroys the personal data of the user and every credential. The ledger stays: ' +
      'charges and statements of the account, without a name.',
  })
  @ApiOkResponse({ type: ClosedAccountDto, description: 'The account is closed.' })
  @FailsWith('user_not_found')
  async close(
    @Param() { user_id: userId }: UserIdDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<ClosedAccountDto> {
    const whom = { userId: UserId.parse(userId) };
    const command = new EraseUserCommand(whom, callerContext(request, caller));
    const { keysRevoked } = await this.commands.execute(command);
    const outcome = { erased: ERASED, kept: KEPT };
    return { success: true, user_id: userId, keys_revoked: keysRevoked, ...outcome };
  }

  async #change(
    userId: number,
    change: UserChange,
    context: CommandContext,
  ): Promise<ChangedUserDto> {
    const changed = await this.commands.execute(
      new ChangeUserCommand(UserId.parse(userId), change, context),
    );
    return { success: true, user_id: userId, changed };
  }
}

const presentUser = (user: UserView): ListedUserDto => ({
  user_id: user.userId,
  account_id: user.accountId,
  username: user.username,
  email: user.email,
  role: user.role,
  status: user.status,
  two_factor_enabled: user.twoFactor,
  registered_at: user.registeredAt,
  password_changed_at: user.passwordChangedAt,
});
