import { ApiProperty } from '@nestjs/swagger';

class EmbeddingDto {
  @ApiProperty({ enum: ['embedding'] })
  readonly object!: 'embedding';
  @ApiProperty({ example: 0, description: 'Of the input.' })
  readonly index!: number;
  @ApiProperty({
    oneOf: [
      { type: 'array', items: { type: 'number' } },
      { type: 'string', format: 'byte' },
    ],
    description: 'Of length 1. With `base64`: 32-bit floats, little-endian.',
    example: [0.0123, -0.0456],
  })
  readonly embedding!: string | readonly number[];
}

export class EmbeddingUsageDto {
  @ApiProperty({ example: 8 })
  readonly prompt_tokens!: number;
  @ApiProperty({ example: 8, description: 'The same: embeddings have no output tokens.' })
  readonly total_tokens!: number;
}

export class EmbeddingListDto {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';
  @ApiProperty({ type: [EmbeddingDto] })
  readonly data!: readonly EmbeddingDto[];
  @ApiProperty({ example: 'quipu-embed-768' })
  readonly model!: string;
  @ApiProperty({ type: EmbeddingUsageDto })
  readonly usage!: EmbeddingUsageDto;
}
