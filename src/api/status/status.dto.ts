import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { RatesDto, TruthDto } from './figures.dto.js';
import { ServiceLevelsDto } from './service-report.dto.js';
import { ArchiveStatusDto, ListStatusDto, RegistryStatusDto } from './upstream.dto.js';
import {
  COUNT_OR_NULL,
  INTEGER,
  INTEGER_OR_NULL,
  Property,
  TEXT_OR_NULL,
  TIME,
  TIME_OR_NULL,
  Success,
} from '../../validation/property.js';

const SECONDS = { type: 'number', nullable: true, minimum: 0 } as const;
const EXAMPLE_TIME = '2026-11-20T03:04:05.000Z';

@ApiSchema({ name: 'OfferStatus', description: 'What is offered.' })
export class OfferStatusDto {
  @Property('Names on offer: confirmed, and not withheld.', 102_226, INTEGER)
  available: number;

  @Property(
    'Names that are not offered because nobody has asked about them for too long; an estimate where they are many.',
    1_200,
    INTEGER_OR_NULL,
  )
  stale: number | null;

  @Property('stale / (available + stale); null where that is not known.', 0.0116, {
    type: 'number',
    nullable: true,
    minimum: 0,
    maximum: 1,
  })
  stale_share: number | null;
}

@ApiSchema({
  name: 'ConfirmationStatus',
  description: 'How long names waited from their purge until the registry said what had become of them.',
})
export class ConfirmationStatusDto {
  @Property('Days that the figures speak of, the last ones.', 7, INTEGER)
  days: number;

  @Property('Names that were confirmed as dropped or rescued.', 13_870, INTEGER)
  confirmed: number;

  @Property('Half of them waited no longer; null while there was none.', 1_980.5, SECONDS)
  p50_seconds: number | null;

  @Property('Nineteen of twenty waited no longer.', 3_910, SECONDS)
  p95_seconds: number | null;
}

@ApiSchema({ name: 'QueueStatus', description: 'Names that wait for something.' })
export class QueueStatusDto {
  @Property('How many; null: more than are counted, or not known.', 12, COUNT_OR_NULL)
  waiting: number | null;

  @Property(
    'Since when the first of them has waited; null: none waits, or not known.',
    EXAMPLE_TIME,
    TIME_OR_NULL,
  )
  oldest: string | null;
}

@ApiSchema({ name: 'QueuesStatus', description: 'The queues of the dataset.' })
export class QueuesStatusDto {
  @ApiProperty({
    description: 'Names whose purge has passed, and is not noted yet.',
    type: QueueStatusDto,
  })
  purge: QueueStatusDto;

  @ApiProperty({ description: 'Purged names, to be confirmed.', type: QueueStatusDto })
  confirmation: QueueStatusDto;

  @ApiProperty({ description: 'Names to be asked about once more by now.', type: QueueStatusDto })
  retry: QueueStatusDto;

  @ApiProperty({ description: 'Names on offer whose next question is due.', type: QueueStatusDto })
  recheck: QueueStatusDto;

  @ApiProperty({ description: 'Names that nobody ever vouched for.', type: QueueStatusDto })
  unconfirmed: QueueStatusDto;

  @ApiProperty({
    description: 'Names to be scored; `oldest`: the purge of the new drop that waits the longest.',
    type: QueueStatusDto,
  })
  archive: QueueStatusDto;
}

@ApiSchema({ name: 'WritesStopped', description: 'Why no answer of the registry is written at the moment.' })
export class WritesStoppedDto {
  @Property('Since when.', EXAMPLE_TIME, TIME)
  at: string;

  @Property('Why.', 'more than 200 answers within an hour contradicted what was known', TEXT_OR_NULL)
  reason: string | null;
}

@ApiSchema({
  name: 'Status',
  description: 'How true and how fresh the dataset is. What is not known is null.',
})
export class Status extends Success {
  @Property('When these figures were gathered; they are kept for a minute.', EXAMPLE_TIME, TIME)
  as_of: string;

  @ApiProperty({ description: 'How many offers are false.', type: TruthDto })
  truth: TruthDto;

  @ApiProperty({
    description: 'What is offered, and what is not for want of an answer.',
    type: OfferStatusDto,
  })
  offers: OfferStatusDto;

  @ApiProperty({ description: 'From purge to confirmation.', type: ConfirmationStatusDto })
  confirmation: ConfirmationStatusDto;

  @ApiProperty({ description: 'What waits.', type: QueuesStatusDto })
  queues: QueuesStatusDto;

  @ApiProperty({
    description: 'The official drop lists, one entry an address; empty: none is fetched.',
    type: [ListStatusDto],
  })
  lists: ListStatusDto[];

  @ApiProperty({
    description: 'The registry services in the order in which they are asked.',
    type: [RegistryStatusDto],
  })
  registries: RegistryStatusDto[];

  @ApiProperty({ description: 'The web archive.', type: ArchiveStatusDto })
  archive: ArchiveStatusDto;

  @ApiProperty({
    description:
      'Answers are not written because too many contradicted what was known, until the operator ' +
      'resumes them; null: they are written.',
    type: WritesStoppedDto,
    nullable: true,
  })
  writes_stopped: WritesStoppedDto | null;

  @ApiProperty({
    description: 'What is promised, and what was measured: availability, latency, delays.',
    type: ServiceLevelsDto,
  })
  service_levels: ServiceLevelsDto;

  @ApiProperty({ description: 'How fast names are taken.', type: RatesDto })
  rates: RatesDto;
}
