import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { DoneQuery } from './notices.js';
import { DELIVERY_STATES, type DeliveryState } from '../../notify/webhooks/webhook.js';

const STALE_FORM = { message: 'This form is not complete. Load the page again.' };
const MAX_TEXT = 2_500;

function Text(): PropertyDecorator {
  return (target, property) => {
    IsOptional()(target, property);
    MaxLength(MAX_TEXT, STALE_FORM)(target, property);
    IsString(STALE_FORM)(target, property);
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))(
      target,
      property,
    );
  };
}

// One box ticked is sent as one value, several as a list.
const AsList = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value));

/** As a form sends it: what the values may be is said by NewWebhook, which they become. */
export class WebhookForm {
  @Text()
  url = '';

  @Text()
  description = '';

  @AsList()
  @IsString({ each: true, message: STALE_FORM.message })
  events: string[] = [];

  @IsOptional()
  @IsIn(['yes'], STALE_FORM)
  watched_only?: string;

  @AsList()
  @IsString({ each: true, message: STALE_FORM.message })
  tld: string[] = [];

  @Text()
  q = '';

  @Text()
  mode = 'contains';

  @Text()
  min_wayback = '';

  @Text()
  min_length = '';

  @Text()
  max_length = '';
}

export class RotateForm {
  @IsIn(['86400', '3600', '0'], STALE_FORM)
  overlap_seconds: string;
}

export class ProofForm {
  @IsIn(['challenge', 'file'], STALE_FORM)
  by: 'challenge' | 'file';
}

export class ReplayForm {
  @IsIn(['1', '7', '30'], STALE_FORM)
  days: string;
}

export class LogQuery extends DoneQuery {
  @IsOptional()
  @IsIn(DELIVERY_STATES, { message: 'This address is not complete.' })
  status?: DeliveryState;

  @IsOptional()
  @MaxLength(500)
  @IsString()
  cursor?: string;
}

/** What NewWebhook is made of; fields that were left empty are left out. */
export function settingsIn(form: WebhookForm): Record<string, unknown> {
  const numbers = { min_wayback: form.min_wayback, min_length: form.min_length, max_length: form.max_length };
  const given = Object.entries(numbers).filter(([, text]) => text !== '');
  return {
    url: form.url,
    description: form.description,
    events: form.events,
    watched_only: form.watched_only !== undefined,
    tld: form.tld,
    mode: form.mode,
    ...(form.q !== '' && { q: form.q.toLowerCase() }),
    ...Object.fromEntries(given.map(([field, text]) => [field, Number(text)])),
  };
}
