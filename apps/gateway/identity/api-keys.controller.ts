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
import { ListApiKeysQuery } from '#areas/identity/keys/list-api-keys.handler.js';
import { RevokeApiKeyCommand } from '#areas/identity/keys/revoke-api-key.handler.js';
import { RotateApiKeyCommand } from '#areas/identity/keys/rotate-api-key.handler.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { callerContext } from './caller-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { ApiKeyIdDto, ApiKeysDto, IssueApiKeyDto, NewApiKeyDto } from './api-keys.dto.js';
import { DoneDto } from './auth.dto.js';
import { presentKeys, presentNewKey } from './auth.presenter.js';
import { CurrentCaller } from './caller.decorator.js';
import { KeyOwnerGuard } from './key-owner.guard.js';

/** The keys of the user; an addition to the promised interface. */
@ApiTags('identity')
@Credentials('api-key', 'app-token')
@UseGuards(KeyOwnerGuard)
@Controller('api/v1/auth/keys')
export class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the active keys',
    description: 'The keys of the user, newest first, without their secrets.',
  })
  @ApiOkResponse({ type: ApiKeysDto, description: 'The active keys, without their secrets.' })
  async list(@CurrentCaller() { userId }: Caller): Promise<ApiKeysDto> {
    return presentKeys(await this.queries.execute(new ListApiKeysQuery(userId)));
  }

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: 'Issue a key',
    description:
      'The answer is the only one that holds the secret of the key. A key with a budget issues ' +
      'none.',
  })
  @ApiCreatedResponse({
    type: NewApiKeyDto,
    description: 'The key with its secret, which is shown once.',
  })
  @FailsWith('api_key_limited', 'too_many_api_keys')
  async issue(
    @Body() { name, kind: keyKind, cache_seconds: cacheSeconds }: IssueApiKeyDto,
    @CurrentCaller() { userId, credential }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<NewApiKeyDto> {
    const context = callerContext(request, { userId, credential });
    const key = { userId, keyKind, name, ...(cacheSeconds !== undefined && { cacheSeconds }) };
    const command = new IssueApiKeyCommand(key, context);
    return presentNewKey(await this.commands.execute(command));
  }

  @Post(':id/rotate')
  @Idempotent()
  @ApiOperation({
    summary: 'Replace a key',
    description:
      'Issues a key with the same name and kind. The old key becomes invalid at once. A key with ' +
      'a budget replaces itself only.',
  })
  @ApiCreatedResponse({
    type: NewApiKeyDto,
    description: 'The new key with its secret, which is shown once.',
  })
  @FailsWith('api_key_limited', 'api_key_not_found', 'too_many_api_keys')
  async rotate(
    @Param() { id: keyId }: ApiKeyIdDto,
    @CurrentCaller() { userId, credential }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<NewApiKeyDto> {
    const context = callerContext(request, { userId, credential });
    const command = new RotateApiKeyCommand({ userId, keyId }, context);
    return presentNewKey(await this.commands.execute(command));
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
    await this.commands.execute(new RevokeApiKeyCommand({ userId, keyId }, context));
    return { success: true, message: 'The key was revoked.' };
  }
}
