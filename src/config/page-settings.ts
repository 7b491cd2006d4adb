import * as parse from './parsers.js';
import type { Setting } from './setting.js';

/** The entries of SETTINGS about the web pages and their links. */
export const PAGE_SETTINGS = {
  // Pages and links
  SUGGEST_TIME_CAP_MS: {
    type: 'integer',
    default: 250,
    min: 1,
    max: 10_000,
    words: 'Milliseconds a suggestion, a search page or its count may take before it says timed_out.',
  },
  REGISTER_URL_TEMPLATE: {
    type: 'text',
    default: 'https://ventraip.com.au/domain-names?domain={domain}',
    parse: parse.registerTemplate,
    isEssential: true,
    words: 'Checkout address of the registrar; {domain} becomes the name.',
  },
  REGISTRARS: {
    type: 'text',
    parse: parse.registrars,
    words:
      'Registrars on the page of a name, in order, as JSON: ' +
      '[{"name":"VentraIP","url":"https://ventraip.com.au/domain-names?domain={domain}","earns":false}]. ' +
      'earns: whether the link earns commission, which the page says. "price":"from A$ 15" and ' +
      '"price_seen":"2026-11-01", its day, are shown beside it. Unset: REGISTER_URL_TEMPLATE alone.',
  },
  PRICES: {
    type: 'text',
    parse: parse.prices,
    words:
      'Prices of tiers for /pricing, as JSON such as {"starter":"$29 a month"}. Others say "Talk to us".',
  },
  ABOUT_PAGE: {
    type: 'text',
    parse: parse.file,
    words: 'Your Markdown file of /about. Unset: a sample that says so.',
  },
  TERMS_PAGE: {
    type: 'text',
    parse: parse.file,
    words: 'The same for /terms.',
  },
  PRIVACY_PAGE: {
    type: 'text',
    parse: parse.file,
    words: 'The same for /privacy.',
  },
  TERMS_URL: {
    type: 'text',
    parse: parse.httpUrl,
    words: 'Terms of service that the OpenAPI documents link to.',
  },
  SITE_CONTACT: {
    type: 'text',
    parse: parse.contact,
    words: 'mailto: or https: address on /help for questions. Unset: the page says that there is none.',
  },
  ABUSE_CONTACT: {
    type: 'text',
    parse: parse.contact,
    words: 'The same for reports of abuse. Unset: SITE_CONTACT.',
  },
  SECURITY_CONTACT: {
    type: 'text',
    parse: parse.contact,
    isEssential: true,
    words: 'mailto: or https: address in /.well-known/security.txt. Unset: no such file.',
  },
} as const satisfies Record<string, Setting>;
