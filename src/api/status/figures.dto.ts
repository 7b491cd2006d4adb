import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { INTEGER, INTEGER_OR_NULL, Property } from '../../validation/property.js';

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

const SHARE = { type: 'number', minimum: 0, maximum: 1 } as const;

@ApiSchema({ name: 'FoundTaken', description: 'What a sample of offers came to.' })
export class FoundTakenDto {
  @Property('Offers that the registry called free or taken.', 21_000, INTEGER)
  sampled: number;

  @Property('Of these, taken.', 11, INTEGER)
  taken: number;

  @Property('Offers of the sample about which the registry said neither; in no share.', 3, INTEGER)
  unknown: number;

  @Property('taken / sampled; null while nothing was sampled.', 0.00052, {
    ...SHARE,
    type: 'number',
    nullable: true,
  })
  share: number | null;

  @Property('Lower end of the 95 % interval (Wilson).', 0.00029, { ...SHARE, type: 'number', nullable: true })
  low: number | null;

  @Property('Upper end of the 95 % interval (Wilson).', 0.00094, { ...SHARE, type: 'number', nullable: true })
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
  @Property('How many of the first ranks it is drawn from.', 100, INTEGER)
  top: number;
}

@ApiSchema({
  name: 'Truth',
  description:
    'How many offers are false, measured: every day offers are drawn by lot, whatever their age, ' +
    'and the registry is asked.',
})
export class TruthDto {
  @Property('Days that the figures speak of, the last ones.', 30, INTEGER)
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

@ApiSchema({
  name: 'TakenRate',
  description: 'How fast names of an age and a score are taken: what is believed, and what it rests on.',
})
export class TakenRateDto {
  @Property('Days since the drop, from here on.', 8, INTEGER)
  age_from_days: number;

  @Property('Up to and without so many days; null: no end.', 12, INTEGER_OR_NULL)
  age_to_days: number | null;

  @ScoreFrom()
  score_from: number;

  @ScoreTo()
  score_to: number | null;

  @Property('Chance a day before anything was observed.', 0.003, { type: 'number' })
  prior_per_day: number;

  @Property(
    'Days that names were seen free between two answers; those of half a year ago count half.',
    18_400.5,
    { type: 'number' },
  )
  exposure_days: number;

  @Property(
    'How many were found taken, in the same measure; shared out where nobody knows at which age.',
    12.7,
    { type: 'number' },
  )
  taken: number;

  @Property('Chance a day that is reckoned with: prior and evidence together.', 0.00076, { type: 'number' })
  rate_per_day: number;

  @Property('The rate is at least this with 97.5 %.', 0.00041, { type: 'number' })
  low_per_day: number;

  @Property('And at most this with 97.5 %: between the two it lies with 95 %.', 0.00121, { type: 'number' })
  high_per_day: number;
}

@ApiSchema({
  name: 'Rates',
  description:
    'What decides which names are asked about again. A question is worth w U(t): how often the ' +
    'name is shown, times what is likely wrong by then.',
})
export class RatesDto {
  @Property(
    'The least worth of a question for which one is asked now; null before the first was weighed.',
    0.045,
    { type: 'number', nullable: true },
  )
  threshold: number | null;

  @ApiProperty({ description: 'By band of scores, the highest first, and by age.', type: [TakenRateDto] })
  cells: TakenRateDto[];
}
