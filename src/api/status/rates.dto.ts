import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ScoreFrom, ScoreTo } from './score-range.decorators.js';

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
    'What decides which names are asked about again. A question is worth w U(t): how often the name is shown, times what is likely wrong by then.',
})
export class RatesDto {
  @ApiProperty({
    description:
      'The least worth of a question for which one is asked now; null before the first was weighed.',
    type: 'number',
    nullable: true,
    example: 0.045,
  })
  threshold: number | null;

  @ApiProperty({ description: 'By band of scores, the highest first, and by age.', type: [TakenRateDto] })
  cells: TakenRateDto[];
}
