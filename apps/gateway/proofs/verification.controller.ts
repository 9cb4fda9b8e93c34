import { Body, Controller, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { claimsOf } from '#areas/proofs/claims.js';
import { REQUEST_MS_MAX } from '#areas/proofs/proof-runner.js';
import { VerifyProofsCommand } from '#areas/proofs/verify-proofs.handler.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { costHeaders } from '../inference/chat.headers.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { ProofVerificationDto, VerifyProofDto } from './proofs.dto.js';
import { presentVerification } from './proofs.presenter.js';

/** Verifies proofs of others. */
@ApiTags('proofs')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/zk_proofs')
export class VerificationController {
  constructor(
    private readonly commands: CommandBus,
    private readonly requests: OpenRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('verify')
  @HttpCode(200)
  @Idempotent({ settle: PaidSettler })
  @ApiOperation({
    summary: 'Verify a zero-knowledge proof',
    description:
      'Groth16 or PLONK on BN254 (`bn128`) or BLS12-381 (`bls12381`), under a registered key: a ' +
      'key of the caller could accept anything. Up to 100 Groth16 proofs are verified together. ' +
      'The pairings are charged, also where the proof does not hold; a proof with a point or a ' +
      'number that no valid proof has is an error, and costs one pairing for each proof. Anyone ' +
      'can make another valid Groth16 proof from a valid one, so a proof is no serial number.',
  })
  @ApiOkResponse({ type: ProofVerificationDto, description: 'Whether the proof holds.' })
  @FailsWith(
    'proof_key_not_found',
    'proof_key_retired',
    'proof_malformed',
    'proof_batch_not_groth16',
    'proof_coordinate_out_of_field',
    'proof_point_off_curve',
    'proof_point_in_wrong_subgroup',
    'proof_point_at_infinity',
    'proof_scalar_out_of_field',
    'proof_input_out_of_field',
    'proof_input_count_wrong',
    'proof_scheme_mismatch',
    'proof_not_priced',
    'proofs_busy',
    'proofs_unavailable',
    'proofs_failed',
    'request_timed_out',
  )
  async verify(
    @Body() body: VerifyProofDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<ProofVerificationDto> {
    const order = {
      accountId,
      receivedAtMs: this.clock.now(),
      keyId: body.key_id,
      claims: claimsOf({
        proof: body.proof,
        publicSignals: body.public_signals,
        proofs: body.proofs?.map((one) => ({
          proof: one.proof,
          publicSignals: one.public_signals,
        })),
      }),
      context: callerContext(request, { userId, credential }),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const open = this.requests.open(REQUEST_MS_MAX);
    try {
      const answer = await this.commands.execute(new VerifyProofsCommand(order, open.signal));
      void reply.headers(costHeaders(answer.entry));
      return presentVerification(answer);
    } finally {
      open.close();
    }
  }
}
