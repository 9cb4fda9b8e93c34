import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  RegisterProofKeyCommand,
  RetireProofKeyCommand,
} from '#areas/proofs/change-keys.handlers.js';
import { ProofKeyQuery, ProofKeysQuery } from '#areas/proofs/list-keys.query.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { DoneDto } from '../identity/auth.dto.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  ProofKeyAnswerDto,
  ProofKeyIdDto,
  ProofKeyListDto,
  ProofKeyPageDto,
  RegisterProofKeyDto,
} from './proofs.dto.js';
import { presentKey, presentKeys } from './proofs.presenter.js';

/** The keys that proofs are verified with. All accounts share them. */
@ApiTags('proofs')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/zk_proofs/keys')
export class ProofKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'List the proof keys',
    description: 'The registered keys by id, with the retired ones, and the keys of Quipu.',
  })
  @ApiOkResponse({ type: ProofKeyListDto, description: 'A page of keys.' })
  async list(@Query() query: ProofKeyPageDto): Promise<ProofKeyListDto> {
    return presentKeys(
      query,
      await this.queries.execute(new ProofKeysQuery(query.page, query.limit)),
    );
  }

  @Get(':key_id')
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'Get a verification key',
    description: 'As snarkjs reads it. A retired key has no answer.',
  })
  @ApiOkResponse({
    description: 'The verification key.',
    schema: { type: 'object', example: { protocol: 'groth16', curve: 'bn128', nPublic: 2 } },
  })
  @FailsWith('proof_key_not_found', 'proof_key_retired')
  async find(@Param() { key_id: keyId }: ProofKeyIdDto): Promise<object> {
    const { keyJson } = await this.queries.execute(new ProofKeyQuery(keyId));
    return JSON.parse(keyJson) as object;
  }

  @Post()
  @Scope('operate')
  @HttpCode(200)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @Idempotent()
  @ApiOperation({
    summary: 'Register a verification key',
    description:
      'Only for an Admin, since a key decides which proofs hold. Each point is checked. The same ' +
      'key again changes nothing, and an id is never given to another key.',
  })
  @ApiOkResponse({ type: ProofKeyAnswerDto, description: 'The key.' })
  @FailsWith(
    'proof_key_invalid',
    'proof_key_id_taken',
    'too_many_proof_keys',
    'proofs_busy',
    'proofs_unavailable',
    'proofs_failed',
  )
  async register(
    @Body() { key_id: keyId, source, verification_key: key }: RegisterProofKeyDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<ProofKeyAnswerDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new RegisterProofKeyCommand(keyId, source, key, context);
    const registered = await this.commands.execute(command);
    const position = registered.position.toString();
    return { success: true, key: presentKey(registered.key), position };
  }

  @Delete(':key_id')
  @Scope('operate')
  @HttpCode(200)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @ApiOperation({
    summary: 'Retire a verification key',
    description: 'Only for an Admin. No proof is verified with it any more.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The key is retired.' })
  @FailsWith('proof_key_not_found', 'proof_key_built_in')
  async retire(
    @Param() { key_id: keyId }: ProofKeyIdDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new RetireProofKeyCommand(keyId, context));
    return { success: true, message: 'The key was retired.' };
  }
}
