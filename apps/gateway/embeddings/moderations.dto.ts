import { ApiProperty } from '@nestjs/swagger';

class ModerationVerdictDto {
  @ApiProperty({ example: true, required: false, description: 'Whether any category is flagged.' })
  readonly flagged?: boolean;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'boolean' },
    example: { violence: true },
    description: 'The categories of the model, each flagged or not.',
  })
  readonly categories!: object;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    example: { violence: 0.98 },
  })
  readonly category_scores!: object;
}

export class ModerationDto {
  @ApiProperty({ example: 'modr-01890a5d-ac96-774b-bcce-b302099a8057' })
  readonly id!: string;
  @ApiProperty({ description: 'The model of the catalog that answered.' })
  readonly model!: string;
  @ApiProperty({
    type: [ModerationVerdictDto],
    description: 'One for each text, one for all parts; with further fields of the provider.',
  })
  readonly results!: readonly object[];
}
