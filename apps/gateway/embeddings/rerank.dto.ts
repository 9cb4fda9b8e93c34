import { ApiProperty } from '@nestjs/swagger';
import { EmbeddingUsageDto } from './embeddings.dto.js';

class RankedTextDto {
  @ApiProperty({ example: 'A hold reserves the worst case.' })
  readonly text!: string;
}

class RerankUsageDto extends EmbeddingUsageDto {
  @ApiProperty({
    required: false,
    example: 1,
    description: 'Searches that the provider of a model that ranks counts.',
  })
  readonly searches?: number;
}

class RankedDocumentDto {
  @ApiProperty({ example: 1, description: 'Of the document in the request.' })
  readonly index!: number;
  @ApiProperty({
    example: 0.83,
    description: 'The cosine of document and query, -1 to 1; of a model that ranks, its own score.',
  })
  readonly relevance_score!: number;
  @ApiProperty({ type: RankedTextDto, required: false })
  readonly document?: RankedTextDto;
}

export class RerankDto {
  @ApiProperty({ example: 'rerank-01890a5d-ac96-774b-bcce-b302099a8057' })
  readonly id!: string;
  @ApiProperty({ example: 'quipu-embed-768' })
  readonly model!: string;
  @ApiProperty({ type: RerankUsageDto })
  readonly usage!: RerankUsageDto;
  @ApiProperty({ type: [RankedDocumentDto], description: 'The nearest first.' })
  readonly results!: readonly RankedDocumentDto[];
}
