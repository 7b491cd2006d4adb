import * as parse from './parsers.js';
import type { Setting } from './setting.js';

/** The entries of SETTINGS about registrars that names are ordered from, and the register of businesses. */
export const REGISTRAR_SETTINGS = {
  // Registrars
  EPP_ADDRESS: {
    type: 'text',
    parse: parse.hostAndPort,
    words: 'host:port of the registry that ORDERS=on registers at, by EPP. Unset: no registrar.',
  },
  EPP_REGISTRAR: {
    type: 'text',
    default: 'registrar',
    words: 'The registrar of record, as orders and evidence name it.',
  },
  EPP_CLIENT: { type: 'text', words: 'Its client id at the registry.' },
  EPP_PASSWORD: { type: 'text', isSecret: true, words: 'Its password at the registry.' },
  EPP_CERTIFICATE: {
    type: 'text',
    isSecret: true,
    words: 'Its certificate, PEM; best as EPP_CERTIFICATE_FILE.',
  },
  EPP_KEY: { type: 'text', isSecret: true, words: 'The private key of EPP_CERTIFICATE, PEM.' },
  EPP_CA: {
    type: 'text',
    isSecret: true,
    words: "The registry's own certificate authority, PEM. Unset: the public ones.",
  },
  EPP_SESSIONS: {
    type: 'integer',
    default: 2,
    min: 1,
    max: 50,
    words: 'Sessions that the registry allows, all instances together.',
  },
  EPP_TIMEOUT_MS: {
    type: 'integer',
    default: 20_000,
    min: 100,
    max: 120_000,
    words: 'Milliseconds one exchange with the registry may take.',
  },
  EPP_YEAR_CENTS: {
    type: 'list',
    parse: parse.yearCents,
    words:
      'What a year costs there, in cents of AUD with GST: com.au:1100,au:900/990, where renewing .au costs 990.',
  },
  EPP_CANCEL_HOURS: {
    type: 'integer',
    default: 24,
    min: 0,
    max: 72,
    words: 'Hours after registration in which a cancelled name gives the fee back. 0: never.',
  },
  DREAMSCAPE_KEY: {
    type: 'text',
    parse: parse.resellerKey,
    isSecret: true,
    words: 'Registers at Dreamscape with this key of its reseller API. Unset: not there.',
  },
  DREAMSCAPE_URL: {
    type: 'text',
    default: 'https://reseller-api.sandbox.ds.network',
    parse: parse.httpsUrl,
    words: 'Base address of that API; its sandbox until you set another.',
  },
  DREAMSCAPE_TIMEOUT_MS: {
    type: 'integer',
    default: 30_000,
    min: 100,
    max: 120_000,
    words: 'Milliseconds one exchange with it may take.',
  },
  DREAMSCAPE_YEAR_CENTS: {
    type: 'list',
    parse: parse.yearCents,
    words: 'What a year should cost there, as in EPP_YEAR_CENTS: other suffixes are not ordered.',
  },
  DREAMSCAPE_GST: {
    type: 'choice',
    default: 'included',
    of: ['included', 'added'],
    words: 'Whether its prices have GST in them.',
  },
  DREAMSCAPE_CANCEL_HOURS: {
    type: 'integer',
    default: 0,
    min: 0,
    max: 72,
    words: 'Hours after registration in which it gives the fee back. 0: never.',
  },
  ABN_LOOKUP_GUID: {
    type: 'text',
    isSecret: true,
    words: 'Asks ABN Lookup about holders. Unset: what needs the register is unknown.',
  },
  ABN_LOOKUP_URL: {
    type: 'text',
    default: 'https://abr.business.gov.au/json/',
    parse: parse.readUrl,
    words: 'Base address of ABN Lookup.',
  },
} as const satisfies Record<string, Setting>;
