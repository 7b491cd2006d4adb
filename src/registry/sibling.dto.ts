import { ApiSchema } from '@nestjs/swagger';
import { SUFFIXES } from '../domains/schema/domain.js';
import { STATE_NAMES } from '../domains/schema/states.js';
import { EligibilityDto } from '../domains/name/eligibility.js';
import { NAME_REASONS } from '../domains/name/rules/name-rule.js';
import { REGISTRY_STATES } from './answer.js';
import { count, one, oneOf, optional, orNull, shape, text, time, yes } from '../validation/shape.js';

const SIBLING_STATES = [...new Set([...REGISTRY_STATES, ...STATE_NAMES])];

@ApiSchema({ name: 'SiblingError', description: 'Why there is no answer for a name that was to be asked.' })
export class SiblingError extends shape({
  code: text('As in the body of a failure.', 'registry_unavailable'),
  message: text('What was wrong and what to do.'),
}) {}

@ApiSchema({ name: 'Sibling', description: 'The same label under one of the six suffixes.' })
export class Sibling extends shape({
  domain: text('The name.', 'coffeecart.net.au'),
  tld: oneOf(SUFFIXES, 'Its .au suffix.', 'net.au'),
  known: yes('Whether the dataset has it.', true),
  available: orNull(
    yes('Whether it can be registered, as far as that is known; null where it is not.', true),
  ),
  state: orNull(
    oneOf(
      SIBLING_STATES,
      "What it is: the registry's word where there is a recent one, else what the dataset has it for; null " +
        'where neither says anything: ask with live=true.',
      'available',
    ),
  ),
  learned_at: orNull(
    time('When that was learned (ISO 8601 UTC); null where it is not known.', '2026-11-20T03:41:07.123Z'),
  ),
  learned_from: orNull(
    text(
      'From whom: a registry service, `reserved_names`, `vouched:` and the name of a source, or `list` where ' +
        'only a drop list says so; null where it is not known.',
      'rdap',
    ),
  ),
  wayback: orNull(count('Archive activity score; null for a name that the dataset does not have.', 12)),
  registrable: orNull(
    yes(
      'Whether it can be registered by somebody whom the suffix is for; null where that is not known or in doubt.',
      true,
    ),
  ),
  reason: orNull(
    oneOf(
      NAME_REASONS,
      'What is known against the label under this suffix, as in a check; null when nothing is.',
      null,
    ),
  ),
  register_url: orNull(
    text(
      'Checkout at the accredited registrar; null unless it is available.',
      'https://ventraip.com.au/domain-names?domain=coffeecart.net.au',
      { format: 'uri' },
    ),
  ),
  eligibility: one(EligibilityDto, 'Who may hold a name of this suffix.'),
  error: optional(
    one(
      SiblingError,
      'Why it was not asked, or had no answer, although live=true asked for it. Absent otherwise.',
    ),
  ),
}) {}
