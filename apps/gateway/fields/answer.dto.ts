import { ApiProperty } from '@nestjs/swagger';

/** The first fields of the answers of application routes. */
export class AnswerDto {
  @ApiProperty({ example: true })
  readonly success!: true;
}

/** An answer of read models. */
export class PositionedAnswerDto extends AnswerDto {
  @ApiProperty({
    description: 'How many events of the log the answer reflects, for `asOf`.',
    example: '42',
  })
  readonly position!: string;
}
