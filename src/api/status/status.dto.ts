import { ApiSchema, ApiProperty } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { ServiceLevelsDto } from './service-report.controller.js';
import {
  amount,
  count,
  many,
  OK,
  one,
  orNull,
  positive,
  shape,
  text,
  time,
  whole,
  field,
  oneOf,
} from '../../validation/shape.js';
import { LENGTH_PRECISIONS, type LengthPrecision } from '../../domains/freshness/queue-length.repository.js';
import { LIST_KINDS } from '../../config/product.js';
import { CHANGES, MIN_SAMPLE } from '../../domains/truth/truth-windows.js';
import { LIST_OUTCOMES, type ListOutcome } from '../../ingest/lists/list-fetch.repository.js';

const MEASURED_AT = '2026-11-20T03:04:05.000Z';

@ApiSchema({ name: 'ListStatus', description: 'How one address of an official drop list is doing.' })
export class ListStatusDto extends shape({
  kind: oneOf(LIST_KINDS, 'Which of the official lists it is.', 'deleted'),
  last_imported_at: orNull(
    time('When the last list was fetched that was imported; null before the first.', MEASURED_AT),
  ),
  age_seconds: orNull(count('How long ago that was, in seconds.', 3_600)),
  last_asked_at: orNull(time('When it was last asked; null before the first time.', MEASURED_AT)),
  last_outcome: field<ListOutcome | null>({
    description:
      'What came of it; `alarm`: a list that cannot be right, and was not imported. Null: not finished.',
    enum: [...LIST_OUTCOMES, null],
    type: String,
    nullable: true,
    example: 'unchanged',
  }),
}) {}

@ApiSchema({ name: 'RegistryStatus', description: 'How a registry service is doing.' })
export class RegistryStatusDto extends shape({
  source: field<string>({
    ...{ description: 'Which service.', enum: ['rdap', 'sandbox', 'availability_service'], example: 'rdap' },
  }),
  breaker: oneOf(
    ['open', 'closed', 'probing'],
    'The circuit breaker: `open` while it is not asked, after failures in a row.',
    'closed',
  ),
  paused_until: orNull(time('Until when it wants to be left alone; null when it does not.', MEASURED_AT)),
  canary: oneOf(
    ['ok', 'failed', 'unknown'],
    'Whether the names that are surely registered were found so; `failed`: it is not believed.',
    'ok',
  ),
  canary_at: orNull(time('When that was looked at.', MEASURED_AT)),
  last_answered_at: orNull(time('When it last gave an answer.', MEASURED_AT)),
}) {}

@ApiSchema({ name: 'ArchiveStatus', description: 'How the web archive is doing, which scores come from.' })
export class ArchiveStatusDto extends shape({
  source: field<string | null>({
    description: 'Where scores come from; null: names are not scored here.',
    enum: ['archive', 'sandbox', null],
    type: String,
    nullable: true,
    example: 'archive',
  }),
  resting_until: orNull(time('Until when it is left alone; null when it is not.', MEASURED_AT)),
  failures_in_row: whole('Questions without an answer since the last answer.', 0),
  last_answered_at: orNull(time('When it last gave an answer.', MEASURED_AT)),
}) {}

/** The field that says where a band of scores begins. */
function ScoreFrom(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ description: 'Least `wayback` of the band.', type: 'integer', example: 100 }),
  );
}

/** The field that says where it ends. */
function ScoreTo(): PropertyDecorator {
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
class BandFoundTakenDto extends FoundTakenDto {
  @ScoreFrom()
  score_from: number;

  @ScoreTo()
  score_to: number | null;
}

@ApiSchema({ name: 'RankFoundTaken', description: 'A sample of the offers of the first ranks.' })
class RankFoundTakenDto extends shape({
  ...FoundTakenDto.fields,
  top: whole('How many of the first ranks it is drawn from.', 100),
}) {}

const SHARE = { minimum: 0, maximum: 1 };

@ApiSchema({ name: 'WindowShare', description: 'The share of false offers, averaged over a window.' })
class WindowShareDto extends shape({
  sampled: count('Offers that the registry called free or taken.', 680),
  taken: count('Of these, taken.', 7),
  unknown: count('Offers of the sample about which the registry said neither; in no share.', 3),
  share: orNull(
    amount(
      'Every six hours with a sample weigh the same. ' +
        `Null: the sample counts for fewer than ${MIN_SAMPLE}, too few to tell.`,
      0.0103,
      SHARE,
    ),
  ),
  low: orNull(amount('Lower end of the 95 % interval (Wilson, corrected for continuity).', 0.00455, SHARE)),
  high: orNull(amount('Upper end of the same interval.', 0.022, SHARE)),
}) {}

@ApiSchema({ name: 'AgeShare', description: 'The share of false offers among those of an age.' })
class AgeShareDto extends shape({
  age_from_days: orNull(count('Days since the drop when the offer was sampled; null: no drop is known.', 7)),
  age_to_days: orNull(count('Up to and without so many days; null: no end, or no drop is known.', 30)),
  ...WindowShareDto.fields,
}) {}

@ApiSchema({ name: 'TruthWindow', description: 'Shares of false offers, averaged over the last hours.' })
export class TruthWindowDto extends shape({
  hours: positive('Length of the window, which ends at `as_of`.', 24),
  sampled_hours: count(
    'Hours of it, by the six, in which offers were sampled; the shares speak of these.',
    24,
  ),
  offers: one(WindowShareDto, 'Of all offers.'),
  by_age: many(
    AgeShareDto,
    'By days since the drop, the youngest first. Offers of ages that are few are also drawn on their own.',
  ),
  first_100: one(WindowShareDto, 'Of the first 100 shown, by a sample of their own.'),
}) {}

@ApiSchema({
  name: 'TruthChange',
  description:
    'The last 24 hours compared with the 30 days before. Chance alone is called a change a few times a year at most.',
})
export class TruthChangeDto extends shape({
  of: oneOf(
    ['offers', 'first_100', 'rechecks'],
    'All offers, by all samples but one, each compared with itself; the first 100 shown, by that one; or offers ' +
      'that were asked again by choice, compared with what the rates below expect of just these: many more, so ' +
      'that it shows a change in how fast names are taken the soonest.',
    'offers',
  ),
  change: oneOf(
    CHANGES,
    '`rise`: more are false than before; `fall`: fewer; `none`: no difference beyond chance; ' +
      `\`too_few\`: fewer than ${MIN_SAMPLE} were sampled, or a week of re-checks is not there yet.`,
    'none',
  ),
  chance: orNull(amount('How often chance alone makes such a difference; null: too few.', 0.41, SHARE)),
  day_sampled: count('Sampled, or asked again, in the last 24 hours.', 680),
  day_taken: count('Of these, taken.', 7),
  day_expected: orNull(amount('How many of these the 30 days before let expect; null: too few.', 6.3)),
  before_sampled: count('Sampled, or asked again, in the 30 days before.', 20_400),
  before_taken: count('Of these, taken.', 190),
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
  windows: many(TruthWindowDto, 'The last 24 hours, 7 days and 30 days.'),
  changes: many(TruthChangeDto, 'Whether the last day differs from the days before by more than chance.'),
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
class RatesDto extends shape({
  threshold: orNull(
    amount(
      'The least worth of a question for which one is asked now; null before the first was weighed.',
      0.045,
    ),
  ),
  cells: many(TakenRateDto, 'By band of scores, the highest first, and by age.'),
}) {}

const AT = '2026-11-20T03:04:05.000Z';

@ApiSchema({ name: 'OfferStatus', description: 'What is offered.' })
export class OfferStatusDto extends shape({
  available: whole('Names on offer: confirmed, and not withheld.', 102_226),
  stale: orNull(
    whole(
      'Names that are not offered because nobody has asked about them for too long; an estimate where they are many.',
      1_200,
    ),
  ),
  stale_share: orNull(
    amount('stale / (available + stale); null where that is not known.', 0.0116, { minimum: 0, maximum: 1 }),
  ),
}) {}

@ApiSchema({
  name: 'ConfirmationStatus',
  description: 'How long names waited from their purge until the registry said what had become of them.',
})
class ConfirmationStatusDto extends shape({
  days: whole('Days that the figures speak of, the last ones.', 7),
  confirmed: whole('Names that were confirmed as dropped or rescued.', 13_870),
  p50_seconds: orNull(
    amount('Half of them waited no longer; null while there was none.', 1_980.5, { minimum: 0 }),
  ),
  p95_seconds: orNull(amount('Nineteen of twenty waited no longer.', 3_910, { minimum: 0 })),
}) {}

@ApiSchema({ name: 'QueueStatus', description: 'Names that wait for something.' })
export class QueueStatusDto extends shape({
  waiting: orNull(count('How many; null: more than are counted, or not known.', 12)),
  oldest: orNull(time('Since when the first of them has waited; null: none waits, or not known.', AT)),
  precision: field<LengthPrecision | null>({
    description:
      'How sure `waiting` is; `estimated`: too many to be counted; `at_least`: more than that wait. Null with it.',
    enum: [...LENGTH_PRECISIONS, null],
    type: String,
    nullable: true,
    example: 'exact',
  }),
  ends_at: orNull(
    time(
      'When the queue is expected to be empty, at the pace of the last hour; null: none waits, or not known.',
      AT,
    ),
  ),
}) {}

@ApiSchema({ name: 'QueuesStatus', description: 'The queues of the dataset.' })
export class QueuesStatusDto extends shape({
  purge: one(QueueStatusDto, 'Names whose purge has passed, and is not noted yet.'),
  confirmation: one(QueueStatusDto, 'Purged names, to be confirmed.'),
  retry: one(QueueStatusDto, 'Names to be asked about once more by now.'),
  recheck: one(QueueStatusDto, 'Names on offer whose next question is due.'),
  unconfirmed: one(QueueStatusDto, 'Names that nobody ever vouched for.'),
  drops: one(QueueStatusDto, 'Names purged within 48 hours, to be confirmed: the first in line.'),
  repeat: one(QueueStatusDto, 'Names on offer from those drops, and the first shown, due to be asked again.'),
  backlog: one(
    QueueStatusDto,
    'All other names that await their first answer: older purges, and `unconfirmed`.',
  ),
  archive: one(
    QueueStatusDto,
    'Names to be scored; `oldest`: the purge of the new drop that waits the longest.',
  ),
}) {}

@ApiSchema({ name: 'WritesStopped', description: 'Why no answer of the registry is written at the moment.' })
class WritesStoppedDto extends shape({
  at: time('Since when.', AT),
  reason: orNull(text('Why.', 'more than 200 answers within an hour contradicted what was known')),
}) {}

@ApiSchema({ name: 'Incident', description: 'Something that went wrong, told by those who run the service.' })
export class IncidentDto extends shape({
  title: text('What went wrong.', 'The registry answered slowly'),
  words: text('Free text: what people noticed.', 'Checks took up to 20 s. No wrong answers.'),
  began_at: time('When it began.', AT),
  ended_at: orNull(time('When it ended; null: it is not over.', AT)),
  updated_at: time('When this text was last changed.', AT),
}) {}

@ApiSchema({
  name: 'Status',
  description: 'How true and how fresh the dataset is. What is not known is null.',
})
export class Status extends shape({
  ...OK,
  as_of: time('When these figures were gathered; they are kept for a minute.', AT),
  truth: one(TruthDto, 'How many offers are false.'),
  offers: one(OfferStatusDto, 'What is offered, and what is not for want of an answer.'),
  confirmation: one(ConfirmationStatusDto, 'From purge to confirmation.'),
  queues: one(QueuesStatusDto, 'What waits.'),
  lists: many(ListStatusDto, 'The official drop lists, one entry an address; empty: none is fetched.'),
  registries: many(RegistryStatusDto, 'The registry services in the order in which they are asked.'),
  archive: one(ArchiveStatusDto, 'The web archive.'),
  incidents: many(
    IncidentDto,
    'What went wrong: what is not over, and what ended in the last 90 days, the newest first; 20 at most.',
  ),
  writes_stopped: orNull(
    one(
      WritesStoppedDto,
      'Answers are not written because too many contradicted what was known, until the operator ' +
        'resumes them; null: they are written.',
    ),
  ),
  service_levels: one(
    ServiceLevelsDto,
    'What is promised, and what was measured: availability, latency, delays.',
  ),
  rates: one(RatesDto, 'How fast names are taken.'),
}) {}
