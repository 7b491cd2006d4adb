import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

/** The field that says where a band of scores begins. */
export function ScoreFrom(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ description: 'Least `wayback` of the band.', type: 'integer', example: 100 }),
  );
}

/** The field that says where it ends. */
export function ScoreTo(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      description: 'Greatest `wayback` of the band; null: it has no upper limit.',
      type: 'integer',
      nullable: true,
      example: 999,
    }),
  );
}
