import { ApiProperty } from '@nestjs/swagger';

export class ModelDto {
  @ApiProperty({ example: 'quipu/nano' })
  readonly id!: string;

  @ApiProperty({ enum: ['model'] })
  readonly object!: 'model';

  @ApiProperty({
    example: 1_767_225_600,
    description:
      'Seconds since the Unix epoch; by default when the model was first on a rate card.',
  })
  readonly created!: number;

  @ApiProperty({ example: 'quipu' })
  readonly owned_by!: string;
}

export class ModelListDto {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';

  @ApiProperty({ type: [ModelDto] })
  readonly data!: readonly Readonly<ModelDto>[];
}
