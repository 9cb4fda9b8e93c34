import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { LedgerSnapshotQuery } from '#areas/proofs/ledger-snapshot.query.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { LedgerSnapshotDto, SnapshotQueryDto } from './snapshot.dto.js';
import { presentSnapshot } from './snapshot.presenter.js';

/** Proofs about the ledger of this installation. */
@ApiTags('proofs')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/space')
export class SnapshotController {
  constructor(private readonly queries: QueryBus) {}

  @Get('zk_snapshot.php')
  @ApiOperation({
    summary: 'Get a proof of the ledger',
    description:
      'Groth16 proofs that the balances at a checkpoint of the log sum to a total, that none is ' +
      'below zero, and that they have this root; or the same of the bundles in custody and their ' +
      'bytes. 16 leaves are in a proof, and the root and total of each proof begin the next one. ' +
      'The first begins with root 0 for balances and 1 for bundles. No amount is shown but the ' +
      'own ones. The last snapshot is kept, and a newer one is proven meanwhile. Free.',
  })
  @ApiOkResponse({ type: LedgerSnapshotDto, description: 'The last snapshot.' })
  @FailsWith(
    'audit_not_ready',
    'snapshot_not_ready',
    'snapshot_prover_missing',
    'snapshot_not_provable',
    'proofs_busy',
    'proofs_unavailable',
    'proofs_failed',
  )
  async find(
    @Query() { statement }: SnapshotQueryDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<LedgerSnapshotDto> {
    const query = new LedgerSnapshotQuery(statement, accountId);
    return presentSnapshot(await this.queries.execute(query));
  }
}
