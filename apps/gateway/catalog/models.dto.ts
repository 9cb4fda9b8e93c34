import { ApiProperty } from '@nestjs/swagger';
import { EntryPointsDto } from '../fleet/entry-points.dto.js';

export class ModelDto {
  @ApiProperty({ example: 'quipu/nano' })
  readonly id!: string;

  @ApiProperty({ enum: ['model'] })
  readonly object!: 'model';

  @ApiProperty({
    example: 1_767_225_600,
    description:
      'Seconds since the Unix epoch. Default: when a rate card first had the model, or when the ' +
      'card of a spiking network was written here; 0 where it is not known.',
  })
  readonly created!: number;

  @ApiProperty({ example: 'quipu' })
  readonly owned_by!: string;

  @ApiProperty({
    required: false,
    type: [String],
    example: ['/v1/images/generations'],
    description: 'The routes that take a model which answers no chats.',
  })
  readonly endpoints?: readonly string[];
}

export class DeletedModelDto {
  @ApiProperty({ example: '7/nano-tuned' })
  readonly id!: string;

  @ApiProperty({ enum: ['model'] })
  readonly object!: 'model';

  @ApiProperty({ enum: [true] })
  readonly deleted!: true;
}

export class ModelListDto {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';

  @ApiProperty({ type: [ModelDto] })
  readonly data!: readonly Readonly<ModelDto>[];

  @ApiProperty({
    type: EntryPointsDto,
    required: false,
    description: 'The bases of the API; absent where none is configured.',
  })
  readonly api_urls?: EntryPointsDto;
}
