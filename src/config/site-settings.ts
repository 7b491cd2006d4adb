import { resolve } from 'node:path';
import { TIER_NAMES, type TierName } from './tiers.js';
import { isObject } from '../validation/unknown-values.js';
import type { SiteEnv } from './site.env.js';

/** Where a free name can be registered. */
export interface Registrar {
  readonly name: string;
  /** A URL with `{domain}` where the name belongs. */
  readonly url: string;
  /** Whether the link brings the operator money, which pages say. */
  readonly earns: boolean;
}

/** What pages for people show. */
export interface SiteSettings {
  readonly registrars: readonly Registrar[];
  readonly prices: Readonly<Partial<Record<TierName, string>>>;
  /** Files in the place of the samples. */
  readonly files: Readonly<Record<'about' | 'terms' | 'privacy', string | undefined>>;
}

/** @param problems gets what is wrong */
export function readSite(env: SiteEnv & { REGISTER_URL_TEMPLATE: string }, problems: string[]): SiteSettings {
  const path = (file: string | undefined) => file && resolve(file);
  return {
    registrars: readRegistrars(env.REGISTRARS, env.REGISTER_URL_TEMPLATE, problems),
    prices: readPrices(env.PRICES, problems),
    files: { about: path(env.ABOUT_PAGE), terms: path(env.TERMS_PAGE), privacy: path(env.PRIVACY_PAGE) },
  };
}

const MAX_REGISTRARS = 8;
const MAX_WORDS = 60;
const TEMPLATE = /^https:\/\/[^\s{}@]+\{domain\}[^\s{}]*$/;

/** The REGISTRARS variable, or the one registrar of REGISTER_URL_TEMPLATE. @param problems gets what is wrong */
export function readRegistrars(text: string | undefined, template: string, problems: string[]): Registrar[] {
  if (text === undefined) return [{ name: hostOf(template), url: template, earns: false }];
  const parsed = parse(text);
  if (Array.isArray(parsed) && parsed.length > 0 && parsed.length <= MAX_REGISTRARS) {
    const registrars = parsed.filter(isRegistrar).map(({ name, url, earns }) => ({ name, url, earns }));
    if (registrars.length === parsed.length) return registrars;
  }
  problems.push(
    `REGISTRARS must be a JSON list of 1 to ${MAX_REGISTRARS} objects with name (at most ${MAX_WORDS} characters), url (https, holding {domain} once) and earns (true or false)`,
  );
  return [];
}

/** The PRICES variable: words by tier. @param problems gets what is wrong */
export function readPrices(
  text: string | undefined,
  problems: string[],
): Readonly<Partial<Record<TierName, string>>> {
  if (text === undefined) return {};
  const parsed = parse(text);
  if (isObject(parsed) && Object.entries(parsed).every(([tier, words]) => isTier(tier) && isWords(words)))
    return parsed;
  problems.push(
    `PRICES must be a JSON object with a text of 1 to ${MAX_WORDS} characters for tiers among ${TIER_NAMES.join(', ')}`,
  );
  return {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Judged as what it is not.
    return undefined;
  }
}

function isRegistrar(value: unknown): value is Registrar {
  return (
    isObject(value) &&
    isWords(value.name) &&
    typeof value.url === 'string' &&
    TEMPLATE.test(value.url) &&
    URL.canParse(value.url) &&
    typeof value.earns === 'boolean'
  );
}

const hostOf = (template: string): string =>
  URL.canParse(template) ? new URL(template).hostname.replace(/^www\./, '') : template;
const isTier = (name: string): boolean => TIER_NAMES.some((tier) => tier === name);
const isWords = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_WORDS;
