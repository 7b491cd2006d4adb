import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { SUFFIXES } from '../../domains/schema/domain.js';
import { MeteredAnswer } from '../../access/rate.dto.js';
import { AskRegistry } from '../../registry/registry-answer.dto.js';
import { Sibling } from '../../registry/sibling.dto.js';
import { Property } from '../../validation/property.js';

export class SiblingsAddress {
  @Property('The label, without a suffix; a whole name stands for its label.', 'coffeecart', {
    type: String,
    maxLength: 255,
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
export class SiblingsResult extends MeteredAnswer {
  @Property('The label.', 'coffeecart')
  label: string;

  @ApiProperty({
    type: [Sibling],
    description: 'The label under each suffix, always all six and in this order.',
    minItems: SUFFIXES.length,
    maxItems: SUFFIXES.length,
  })
  siblings: Sibling[];

  @Property(
    'Free text: what is not known, and how to learn it.',
    'What each of the six is known to be. Check a name before you rely on it.',
  )
  note: string;
}
