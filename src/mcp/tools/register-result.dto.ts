import { ApiProperty, ApiSchema, PickType } from '@nestjs/swagger';
import { CheckResult } from '../../check/check.dto.js';

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

/** Answer of the register_domain tool: the hand-off to the registrar, or why there is none. */
@ApiSchema({
  name: 'RegisterResult',
  description: 'The hand-off to the registrar, or why there is none. Nothing was bought or registered.',
})
export class RegisterResult extends PickType(CheckResult, [
  'ok',
  'domain',
  'tld',
  'available',
  'register_url',
  'registry',
  'rate',
  'quota',
] as const) {
  @ApiProperty({
    description: 'Always false: this service buys nothing and registers nothing.',
    enum: [false],
    example: false,
  })
  registered_by_this_call: false;

  @ApiProperty({ description: 'Why the name can or cannot be had, as the registry says now.' })
  reason: string;

  @ApiProperty({ description: 'What to do now.' })
  what_next: string;

  @ApiProperty({ type: EligibilityDto })
  eligibility: EligibilityDto;
}
