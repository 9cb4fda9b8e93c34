import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { IssueApiKeyCommand } from '#areas/identity/keys/issue-api-key.handler.js';
import { ListUsedKeysQuery } from '#areas/identity/keys/list-used-keys.handler.js';
import { RestrictApiKeyCommand } from '#areas/identity/keys/restrict-api-key.handler.js';
import { RevokeApiKeyCommand } from '#areas/identity/keys/revoke-api-key.handler.js';
import { RotateApiKeyCommand } from '#areas/identity/keys/rotate-api-key.handler.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { callerContext } from './caller-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  ApiKeyIdDto,
  ApiKeysDto,
  IssueApiKeyDto,
  KeyPolicyDto,
  NewApiKeyDto,
  RotateApiKeyDto,
} from './api-keys.dto.js';
import { DoneDto } from './auth.dto.js';
import { presentKeys, presentNewKey } from './auth.presenter.js';
import { CurrentCaller } from './caller.decorator.js';
import { KeyOwnerGuard } from './key-owner.guard.js';
import { changeOf } from './policy-change.js';
import { Scope } from './scope.decorator.js';

/** The keys of the user; an addition to the promised interface. */
@ApiTags('identity')
@Credentials('api-key', 'app-token')
@UseGuards(KeyOwnerGuard)
@Scope('manage_keys')
@Controller('api/v1/auth/keys')
export class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the active keys',
    description:
      'The keys of the user with their use, newest first. A key and the key that replaces it ' +
      'share their use.',
  })
  @ApiOkResponse({ type: ApiKeysDto, description: 'The active keys, without their secrets.' })
  async list(@CurrentCaller() { userId }: Caller): Promise<ApiKeysDto> {
    return presentKeys(await this.queries.execute(new ListUsedKeysQuery(userId)));
  }

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: 'Issue a key',
    description:
      'The answer is the only one that holds the secret of the key. Without `scopes` the key has ' +
      '`inference` only; lists and an end that are left out are taken from the credential that ' +
      'asks. A key can do nothing that this credential cannot. A key with a budget issues none.',
  })
  @ApiCreatedResponse({
    type: NewApiKeyDto,
    description: 'The key with its secret, which is shown once.',
  })
  @FailsWith(
    'api_key_limited',
    'too_many_api_keys',
    'policy_too_wide',
    'invalid_ip_range',
    'expiry_past',
  )
  async issue(
    @Body() { name, kind: keyKind, cache_seconds: cacheSeconds, ...body }: IssueApiKeyDto,
    @CurrentCaller() { userId, credential }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<NewApiKeyDto> {
    const context = callerContext(request, { userId, credential });
    const { policy, endsAt: expiresAt } = changeOf(body);
    const key = {
      userId,
      keyKind,
      name,
      policy,
      issuer: credential,
      ...(expiresAt !== undefined && { expiresAt }),
      ...(cacheSeconds !== undefined && { cacheSeconds }),
    };
    const command = new IssueApiKeyCommand(key, context);
    return presentNewKey(await this.commands.execute(command));
  }

  @Post(':id/rotate')
  @Idempotent()
  @ApiOperation({
    summary: 'Replace a key',
    description:
      'Issues a key with the same name, kind and policy. The old key becomes invalid at once, or ' +
      'after `overlap_seconds`. A key replaces itself, or a key that can do nothing that it ' +
      'cannot. A key with a budget replaces itself only.',
  })
  @ApiCreatedResponse({
    type: NewApiKeyDto,
    description: 'The new key with its secret, which is shown once.',
  })
  @FailsWith('api_key_limited', 'api_key_not_found', 'too_many_api_keys', 'policy_too_wide')
  async rotate(
    @Param() { id: keyId }: ApiKeyIdDto,
    @Body() { overlap_seconds: overlapSeconds }: RotateApiKeyDto,
    @CurrentCaller() { userId, credential: issuer }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<NewApiKeyDto> {
    const context = callerContext(request, { userId, credential: issuer });
    const rotation = { userId, keyId, issuer, overlapSeconds };
    const command = new RotateApiKeyCommand(rotation, context);
    return presentNewKey(await this.commands.execute(command));
  }

  @Post(':id/restrict')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Take something away from a key',
    description:
      'A field that is left out stays as it is. Nothing is given back: for more, issue a key.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The key has the policy.' })
  @FailsWith('api_key_not_found', 'policy_too_wide', 'invalid_ip_range')
  async restrict(
    @Param() { id: keyId }: ApiKeyIdDto,
    @Body() body: KeyPolicyDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new RestrictApiKeyCommand({ userId, keyId, ...changeOf(body) }, context);
    await this.commands.execute(command);
    return { success: true, message: 'The key has the policy.' };
  }

  @Delete(':id')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Revoke a key',
    description: 'The key becomes invalid at once.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The key is revoked.' })
  @FailsWith('api_key_not_found')
  async revoke(
    @Param() { id: keyId }: ApiKeyIdDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new RevokeApiKeyCommand({ owner: userId, keyId }, context));
    return { success: true, message: 'The key was revoked.' };
  }
}
