import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsArray, IsObject, IsOptional } from 'class-validator';
import { z } from 'zod';
import { BATCH_MAX, Proof, ProofKey, PublicSignals } from '#areas/proofs/proofs.engine.js';
import { PositionedAnswerDto } from '../fields/answer.dto.js';
import { NullableInstant } from '../fields/answer-fields.js';
import { TextField } from '../fields/request-fields.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';

const schemaOf = (schema: z.ZodType): object =>
  z.toJSONSchema(schema, { io: 'input', target: 'openapi-3.0' });

const proofSchema = schemaOf(Proof);
const signalsSchema = schemaOf(PublicSignals);
const claimSchema = {
  type: 'object',
  required: ['proof', 'public_signals'],
  properties: { proof: proofSchema, public_signals: signalsSchema },
};

const KeyIdField = (): PropertyDecorator =>
  TextField({
    example: 'ledger-balances-16',
    matches: /^[a-z0-9][a-z0-9-]{0,63}$/,
    expected: 'lower case, digits and dashes, 64 characters at most',
    description: 'The id of a registered key.',
  });

export class VerifyProofDto {
  @KeyIdField()
  readonly key_id!: string;

  @ApiPropertyOptional({
    ...proofSchema,
    description:
      'A proof as snarkjs writes it (`proof.json`): numbers as decimal strings, points with 1 as ' +
      'the third coordinate. Coordinates above the field, points outside of the curve or of its ' +
      'subgroup, and infinity are rejected by name.',
  })
  @IsOptional()
  @IsObject({ message: 'an object' })
  readonly proof?: object;

  @ApiPropertyOptional({
    ...signalsSchema,
    example: ['42', '7'],
    description:
      'The public signals of the proof (`public.json`), each below the order of the curve.',
  })
  @IsOptional()
  @IsArray({ message: 'an array' })
  readonly public_signals?: readonly unknown[];

  @ApiPropertyOptional({
    type: 'array',
    items: claimSchema,
    minItems: 1,
    maxItems: BATCH_MAX,
    description:
      'Several Groth16 proofs under the key, in place of `proof` and `public_signals`. They are ' +
      'verified together, which costs less than one by one.',
  })
  @IsOptional()
  @IsArray({ message: 'an array' })
  @IsObject({ each: true, message: 'an array of objects' })
  readonly proofs?: readonly { readonly proof?: unknown; readonly public_signals?: unknown }[];
}

export class ProofVerificationDto {
  @ApiProperty({ description: 'Whether every proof holds. False is an answer and no error.' })
  readonly verified!: boolean;
  @ApiProperty({
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    description: 'The hash of key, proofs and signals: the same ones have the same id.',
  })
  readonly proof_id!: string;
  @ApiProperty({ enum: ['groth16', 'plonk'] })
  readonly prover_scheme!: 'groth16' | 'plonk';
  @ApiProperty({ example: 31.4, description: 'In the thread, with the reading of the points.' })
  readonly verification_time_ms!: number;
  @ApiProperty({ type: [Boolean], description: 'Of each proof, in their order.' })
  readonly results!: readonly boolean[];
  @ApiProperty({ example: 4, description: 'Miller loops that were computed; they are charged.' })
  readonly pairings!: number;
  @ApiProperty({ example: 'ledger-balances-16' })
  readonly key_id!: string;
  @ApiProperty({ example: 'dev-ceremony', description: 'Where the key comes from.' })
  readonly key_source!: string;
  @ApiProperty({ enum: ['bn128', 'bls12381'] })
  readonly curve!: 'bn128' | 'bls12381';
}

export class RegisterProofKeyDto {
  @KeyIdField()
  readonly key_id!: string;

  @TextField({
    minLength: 1,
    maxLength: 200,
    example: 'ceremony of 2026-05-01',
    description: 'Where the key comes from: a ceremony, a program, an author.',
  })
  readonly source!: string;

  @ApiProperty({
    ...schemaOf(ProofKey),
    description: 'As snarkjs writes it (`verification_key.json`). Every point is checked.',
  })
  @IsObject({ message: 'an object' })
  readonly verification_key!: object;
}

export class ProofKeyIdDto {
  @KeyIdField()
  readonly key_id!: string;
}

/** The list has no past states: a proof is verified with the keys in force. */
export class ProofKeyPageDto extends OmitType(PageDto, ['asOf']) {}

export class ProofKeyDto {
  @ApiProperty({ example: 'ledger-balances-16' })
  readonly key_id!: string;
  @ApiProperty({
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    description: 'Of the key as compact JSON with the fields in the order of the schema.',
  })
  readonly sha256!: string;
  @ApiProperty({ enum: ['groth16', 'plonk'] })
  readonly scheme!: 'groth16' | 'plonk';
  @ApiProperty({ enum: ['bn128', 'bls12381'] })
  readonly curve!: 'bn128' | 'bls12381';
  @ApiProperty({ example: 5, description: 'Public signals of a proof.' })
  readonly inputs!: number;
  @ApiProperty({ example: 'dev-ceremony' })
  readonly source!: string;
  @NullableInstant('Null: it ships with Quipu.')
  readonly registered_at!: string | null;
  @NullableInstant('Null: it is in force.')
  readonly retired_at!: string | null;
}

export class ProofKeyAnswerDto extends PositionedAnswerDto {
  @ApiProperty({ type: ProofKeyDto })
  readonly key!: ProofKeyDto;
}

export class ProofKeyListDto extends PageOfListDto {
  @ApiProperty({ type: [ProofKeyDto], description: 'The registered keys, by id.' })
  readonly keys!: readonly ProofKeyDto[];
  @ApiProperty({ type: [ProofKeyDto], description: 'Keys that ship with Quipu.' })
  readonly built_in!: readonly ProofKeyDto[];
}
