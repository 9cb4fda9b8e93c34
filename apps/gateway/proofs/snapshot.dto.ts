import { ApiProperty } from '@nestjs/swagger';
import { LEAVES, SIGNALS } from '#areas/proofs/ledger-prover.engine.js';
import { type Statement, STATEMENTS } from '#areas/proofs/snapshot-source.port.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { InstantField } from '../fields/answer-fields.js';
import { ChoiceField } from '../fields/request-fields.js';

export class SnapshotQueryDto {
  @ChoiceField(STATEMENTS, {
    required: false,
    default: 'ledger_balances',
    description: 'The balances of all accounts, or the bundles in custody.',
  })
  readonly statement: Statement = 'ledger_balances';
}

class SnapshotCheckpointDto {
  @ApiProperty({ example: 8_192, description: 'Events in the tree of the log.' })
  readonly size!: number;
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  readonly root_sha256!: string;
  @ApiProperty({ description: 'The signed note, as `/audit/checkpoint` shows it.' })
  readonly note!: string;
}

class SnapshotProofDto {
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'For snarkjs.' })
  readonly proof!: object;
  @ApiProperty({ type: [String], description: `In this order: ${SIGNALS.join(', ')}.` })
  readonly public_signals!: readonly string[];
}

class SnapshotLeafDto {
  @ApiProperty({ example: 0, description: 'The proof of the chain that has the leaf, from 0.' })
  readonly proof!: number;
  @ApiProperty({ example: 3, description: 'The leaf in the proof, from 0.' })
  readonly leaf!: number;
  @ApiProperty({ description: 'Of the account or of the bundle.' })
  readonly id!: string;
  @ApiProperty({ description: 'The first 31 bytes of the SHA-256 of the id.' })
  readonly id_number!: string;
  @ApiProperty({ example: '25000000', description: 'Available and held micro-dollars; bytes.' })
  readonly amount!: string;
  @ApiProperty({ description: 'Keeps others from guessing the amount from the leaf.' })
  readonly salt!: string;
}

export class LedgerSnapshotDto extends AnswerDto {
  @ApiProperty({ enum: STATEMENTS })
  readonly statement!: Statement;
  @ApiProperty({ enum: ['groth16', 'plonk'] })
  readonly prover_scheme!: 'groth16' | 'plonk';
  @ApiProperty({ example: 'ledger-balances-16', description: 'For POST zk_proofs/verify.' })
  readonly key_id!: string;
  @ApiProperty({ example: 'dev-ceremony', description: 'Where the key comes from.' })
  readonly key_source!: string;
  @ApiProperty({ example: '8191', description: 'Of the last event that the balances reflect.' })
  readonly log_position!: string;
  @InstantField('The instant of that event.')
  readonly as_of!: string;
  @ApiProperty({ example: 12.5, description: 'Since `as_of`.' })
  readonly age_seconds!: number;
  @InstantField('When the proofs were made.')
  readonly proven_at!: string;
  @ApiProperty({ type: SnapshotCheckpointDto })
  readonly checkpoint!: SnapshotCheckpointDto;
  @ApiProperty({ description: 'The root of the leaves: a number of the curve.' })
  readonly root!: string;
  @ApiProperty({ example: '125000000', description: 'Micro-dollars, or bytes of bundles.' })
  readonly total!: string;
  @ApiProperty({ enum: ['micro_usd', 'bytes'] })
  readonly unit!: 'micro_usd' | 'bytes';
  @ApiProperty({ example: 5, description: 'Accounts, or bundles.' })
  readonly leaves!: number;
  @ApiProperty({ example: LEAVES })
  readonly leaves_per_proof!: number;
  @ApiProperty({ type: [SnapshotProofDto], description: 'As POST zk_proofs/verify takes them.' })
  readonly proofs!: readonly SnapshotProofDto[];
  @ApiProperty({ type: [SnapshotLeafDto], description: 'The leaves of the caller.' })
  readonly own!: readonly SnapshotLeafDto[];
}
