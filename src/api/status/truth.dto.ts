import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ScoreFrom, ScoreTo } from './score-range.decorators.js';

const SHARE = { type: 'number', minimum: 0, maximum: 1 } as const;

@ApiSchema({ name: 'FoundTaken', description: 'What a sample of offers came to.' })
export class FoundTakenDto {
  @ApiProperty({
    description: 'Offers that the registry called free or taken.',
    type: 'integer',
    example: 21_000,
  })
  sampled: number;

  @ApiProperty({ description: 'Of these, taken.', type: 'integer', example: 11 })
  taken: number;

  @ApiProperty({
    description: 'Offers of the sample about which the registry said neither; in no share.',
    type: 'integer',
    example: 3,
  })
  unknown: number;

  @ApiProperty({
    ...SHARE,
    description: 'taken / sampled; null while nothing was sampled.',
    type: 'number',
    nullable: true,
    example: 0.00052,
  })
  share: number | null;

  @ApiProperty({
    ...SHARE,
    description: 'Lower end of the 95 % interval (Wilson).',
    type: 'number',
    nullable: true,
    example: 0.00029,
  })
  low: number | null;

  @ApiProperty({
    ...SHARE,
    description: 'Upper end of the 95 % interval (Wilson).',
    type: 'number',
    nullable: true,
    example: 0.00094,
  })
  high: number | null;
}

@ApiSchema({ name: 'BandFoundTaken', description: 'The sample of all offers, in a band of scores.' })
export class BandFoundTakenDto extends FoundTakenDto {
  @ScoreFrom()
  score_from: number;

  @ScoreTo()
  score_to: number | null;
}

@ApiSchema({ name: 'RankFoundTaken', description: 'A sample of the offers of the first ranks.' })
export class RankFoundTakenDto extends FoundTakenDto {
  @ApiProperty({
    description: 'How many of the first ranks it is drawn from.',
    type: 'integer',
    example: 100,
  })
  top: number;
}

@ApiSchema({
  name: 'Truth',
  description:
    'How many offers are false, measured: every day offers are drawn by lot, whatever their age, and the registry is asked.',
})
export class TruthDto {
  @ApiProperty({
    description: 'Days that the figures speak of, the last ones.',
    type: 'integer',
    example: 30,
  })
  days: number;

  @ApiProperty({ description: 'Of all offers.', type: FoundTakenDto })
  offers: FoundTakenDto;

  @ApiProperty({
    description: 'The same by band of scores, the highest first.',
    type: [BandFoundTakenDto],
  })
  by_band: BandFoundTakenDto[];

  @ApiProperty({
    description: 'Of samples of their own: the offers that are shown the most.',
    type: [RankFoundTakenDto],
  })
  by_rank: RankFoundTakenDto[];
}
