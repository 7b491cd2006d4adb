import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { amount, many, one, orNull, shape, whole } from '../../validation/shape.js';

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

@ApiSchema({ name: 'FoundTaken', description: 'What a sample of offers came to.' })
export class FoundTakenDto extends shape({
  sampled: whole('Offers that the registry called free or taken.', 21_000),
  taken: whole('Of these, taken.', 11),
  unknown: whole('Offers of the sample about which the registry said neither; in no share.', 3),
  share: orNull(
    amount('taken / sampled; null while nothing was sampled.', 0.00052, { minimum: 0, maximum: 1 }),
  ),
  low: orNull(amount('Lower end of the 95 % interval (Wilson).', 0.00029, { minimum: 0, maximum: 1 })),
  high: orNull(amount('Upper end of the 95 % interval (Wilson).', 0.00094, { minimum: 0, maximum: 1 })),
}) {}

@ApiSchema({ name: 'BandFoundTaken', description: 'The sample of all offers, in a band of scores.' })
export class BandFoundTakenDto extends FoundTakenDto {
  @ScoreFrom()
  score_from: number;

  @ScoreTo()
  score_to: number | null;
}

@ApiSchema({ name: 'RankFoundTaken', description: 'A sample of the offers of the first ranks.' })
export class RankFoundTakenDto extends shape({
  ...FoundTakenDto.fields,
  top: whole('How many of the first ranks it is drawn from.', 100),
}) {}

@ApiSchema({
  name: 'Truth',
  description:
    'How many offers are false, measured: every day offers are drawn by lot, whatever their age, ' +
    'and the registry is asked.',
})
export class TruthDto extends shape({
  days: whole('Days that the figures speak of, the last ones.', 30),
  offers: one(FoundTakenDto, 'Of all offers.'),
  by_band: many(BandFoundTakenDto, 'The same by band of scores, the highest first.'),
  by_rank: many(RankFoundTakenDto, 'Of samples of their own: the offers that are shown the most.'),
}) {}

@ApiSchema({
  name: 'TakenRate',
  description: 'How fast names of an age and a score are taken: what is believed, and what it rests on.',
})
export class TakenRateDto {
  @ApiProperty({ description: 'Days since the drop, from here on.', type: 'integer', example: 8 })
  age_from_days: number;

  @ApiProperty({
    description: 'Up to and without so many days; null: no end.',
    type: 'integer',
    nullable: true,
    example: 12,
  })
  age_to_days: number | null;

  @ScoreFrom()
  score_from: number;

  @ScoreTo()
  score_to: number | null;

  @ApiProperty({ description: 'Chance a day before anything was observed.', type: 'number', example: 0.003 })
  prior_per_day: number;

  @ApiProperty({
    description: 'Days that names were seen free between two answers; those of half a year ago count half.',
    type: 'number',
    example: 18_400.5,
  })
  exposure_days: number;

  @ApiProperty({
    description:
      'How many were found taken, in the same measure; shared out where nobody knows at which age.',
    type: 'number',
    example: 12.7,
  })
  taken: number;

  @ApiProperty({
    description: 'Chance a day that is reckoned with: prior and evidence together.',
    type: 'number',
    example: 0.00076,
  })
  rate_per_day: number;

  @ApiProperty({
    description: 'The rate is at least this with 97.5 %.',
    type: 'number',
    example: 0.00041,
  })
  low_per_day: number;

  @ApiProperty({
    description: 'And at most this with 97.5 %: between the two it lies with 95 %.',
    type: 'number',
    example: 0.00121,
  })
  high_per_day: number;
}

@ApiSchema({
  name: 'Rates',
  description:
    'What decides which names are asked about again. A question is worth w U(t): how often the ' +
    'name is shown, times what is likely wrong by then.',
})
export class RatesDto extends shape({
  threshold: orNull(
    amount(
      'The least worth of a question for which one is asked now; null before the first was weighed.',
      0.045,
    ),
  ),
  cells: many(TakenRateDto, 'By band of scores, the highest first, and by age.'),
}) {}
