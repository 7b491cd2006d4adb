import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Suffix } from '../schema/domain.js';
import { ELIGIBILITY, ELIGIBILITY_VERSION } from './eligibility.js';

@ApiSchema({ name: 'Eligibility', description: 'Who may hold a name of this suffix, in short.' })
export class EligibilityDto {
  @ApiProperty({ description: 'Who may hold a name of this suffix.' })
  who: string;

  @ApiProperty({ description: 'Which names the holder may choose.' })
  names: string;

  @ApiProperty({ description: 'Where the rule is published. The rule decides, not this summary.' })
  source: string;

  @ApiProperty({ description: 'The day on which the source was last read for this summary.', format: 'date' })
  as_of: string;
}

/** The rule of a suffix as answers give it. */
export function toEligibilityDto(tld: Suffix): EligibilityDto {
  return { ...ELIGIBILITY[tld], as_of: ELIGIBILITY_VERSION };
}
