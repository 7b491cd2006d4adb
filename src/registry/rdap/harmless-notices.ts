export interface HarmlessNotice {
  /** Whole, as the registry sends it; case, punctuation and line breaks do not count. */
  readonly text: string;
  /** Who sends it, or who prescribes it. */
  readonly source: string;
  /** When it was added here, YYYY-MM-DD. */
  readonly addedOn: string;
}

/**
 * Texts of notices that speak of the service and not of the name. One is added by whoever has read it in a real answer; a registry's
 * own is added without a release by REGISTRY_NOT_FOUND_WORDINGS.
 */
export const HARMLESS_NOTICES: readonly HarmlessNotice[] = [
  {
    text: 'For more information on domain status codes, please visit https://icann.org/epp',
    source: 'ICANN, RDAP Response Profile, 2.6.3',
    addedOn: '2026-11-23',
  },
  {
    text: 'URL of the ICANN RDDS Inaccuracy Complaint Form: https://icann.org/wicf',
    source: 'ICANN, RDAP Response Profile, 2.10',
    addedOn: '2026-11-23',
  },
  {
    text: 'URL of the ICANN RDDS Inaccuracy Complaint Form: https://www.icann.org/wicf',
    source: 'ICANN, RDAP Response Profile, 2.10',
    addedOn: '2026-11-23',
  },
  {
    text: 'This is the sandbox registry of Bowerbird. Everything in it is made up. The real registry limits the rate of queries and may block those who exceed it.',
    source: 'the sandbox registry',
    addedOn: '2026-11-23',
  },
];
