import { ApiSchema } from '@nestjs/swagger';
import { RatesDto, TruthDto } from './figures.dto.js';
import { ServiceLevelsDto } from './service-report.dto.js';
import { ArchiveStatusDto, ListStatusDto, RegistryStatusDto } from './upstream.dto.js';
import { amount, count, many, OK, one, orNull, shape, text, time, whole } from '../../validation/shape.js';

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
export class ConfirmationStatusDto extends shape({
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
}) {}

@ApiSchema({ name: 'QueuesStatus', description: 'The queues of the dataset.' })
export class QueuesStatusDto extends shape({
  purge: one(QueueStatusDto, 'Names whose purge has passed, and is not noted yet.'),
  confirmation: one(QueueStatusDto, 'Purged names, to be confirmed.'),
  retry: one(QueueStatusDto, 'Names to be asked about once more by now.'),
  recheck: one(QueueStatusDto, 'Names on offer whose next question is due.'),
  unconfirmed: one(QueueStatusDto, 'Names that nobody ever vouched for.'),
  archive: one(
    QueueStatusDto,
    'Names to be scored; `oldest`: the purge of the new drop that waits the longest.',
  ),
}) {}

@ApiSchema({ name: 'WritesStopped', description: 'Why no answer of the registry is written at the moment.' })
export class WritesStoppedDto extends shape({
  at: time('Since when.', AT),
  reason: orNull(text('Why.', 'more than 200 answers within an hour contradicted what was known')),
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
