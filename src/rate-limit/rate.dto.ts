import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'Rate', description: 'The current rate budget, counted in domain records.' })
export class Rate {
  @ApiProperty({ description: 'Domain records a minute.', type: 'integer', minimum: 1, example: 5 })
  limit_per_min: number;

  @ApiProperty({ description: 'Records left in this window.', type: 'integer', minimum: 0, example: 4 })
  remaining: number;

  @ApiProperty({
    description: 'Seconds until the per-minute budget resets: windows are whole minutes of the UTC clock.',
    type: 'integer',
    minimum: 1,
    maximum: 60,
    example: 42,
  })
  reset_in: number;
}
