import { IsOptional, Matches, MaxLength } from 'class-validator';
import { TIER_NAMES, type TierName } from './tiers.js';
import { OperatorsEnv } from './operators.env.js';
import { CommaSeparated } from './rules.js';

const PRICE = /^(price_[A-Za-z0-9]{1,100}):(member|starter|pro|firehose)$/;

/** The part of {@link Env} that is about what people pay. */
export class PaymentsEnv extends OperatorsEnv {
  /** Signing secret of a webhook of Stripe that tells of subscriptions, to be sent to /payments/stripe; needs AUTH=on. Not set: there is no such address. */
  @IsOptional()
  @Matches(/^whsec_\S+$/, { message: 'STRIPE_WEBHOOK_SECRET must start with whsec_' })
  @MaxLength(200)
  STRIPE_WEBHOOK_SECRET: string | undefined = undefined;

  /** Which price of Stripe pays for which tier: PRICE:TIER, comma-separated. */
  @CommaSeparated()
  @Matches(PRICE, {
    each: true,
    message: 'STRIPE_PRICE_TIERS must be a comma-separated list of PRICE:TIER, such as price_1A2b:pro',
  })
  STRIPE_PRICE_TIERS: string[] = [];
}

/** STRIPE_PRICE_TIERS, read. */
export function tiersByPrice(pairs: readonly string[]): Readonly<Record<string, TierName>> {
  return Object.fromEntries(
    pairs.flatMap((pair) => {
      const [, price, tier] = PRICE.exec(pair) ?? [];
      const known = TIER_NAMES.find((name) => name === tier);
      return price && known ? [[price, known] as const] : [];
    }),
  );
}
