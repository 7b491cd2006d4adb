import { ApiProperty, ApiSchema, PickType } from '@nestjs/swagger';
import { CheckResult } from '../../api/check/check.dto.js';

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
  'registrable',
  'name_rule',
  'register_url',
  'registry',
  'eligibility',
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
}
