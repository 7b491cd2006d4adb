import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { SUFFIXES } from '../../domains/schema/domain.js';
import { Metered } from '../../access/rate.dto.js';
import { AskRegistry } from '../../registry/registry-answer.dto.js';
import { Sibling } from '../../registry/sibling.dto.js';
import { many, OK, shape, text } from '../../validation/shape.js';

export class SiblingsAddress {
  @ApiProperty({
    description: 'The label, without a suffix; a whole name stands for its label.',
    type: String,
    maxLength: 255,
    example: 'coffeecart',
  })
  // The name parser judges length and shape, so that its message can name the fault.
  @IsString()
  label: string;
}

export class SiblingsQuery {
  @AskRegistry('Whether to ask the registry about those of which nothing is known, for a record each.')
  live: 'true' | 'false' = 'false';
}

@ApiSchema({ name: 'SiblingsResult', description: 'A label under the six suffixes.' })
export class SiblingsResult extends shape({
  ...Metered.fields,
  ...OK,
  label: text('The label.', 'coffeecart'),
  siblings: many(Sibling, 'The label under each suffix, always all six and in this order.', {
    minItems: SUFFIXES.length,
    maxItems: SUFFIXES.length,
  }),
  note: text(
    'Free text: what is not known, and how to learn it.',
    'What each of the six is known to be. Check a name before you rely on it.',
  ),
}) {}
