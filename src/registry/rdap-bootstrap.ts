import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { isObject } from '../validation/unknown-values.js';
import { exchange, textOf } from './exchange.js';

export const REFRESH_EVERY_MS = 86_400_000;
const TIMEOUT_MS = 10_000;
/** The list had 590 services and well under 200 kB in September 2026. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/**
 * Where the .au registry's RDAP service is: the configured address, or a newer one from IANA's list (RFC 9224). The
 * list is read in the background once a day and is never waited for; without it, the last known address stays. An
 * address that the operator set by hand is never replaced.
 */
@Injectable()
export class RdapBootstrap implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(RdapBootstrap.name);
  private readonly stopping = new AbortController();
  private readonly listUrl: string | undefined;
  private address: string;

  constructor({ registry }: Config) {
    this.address = registry.rdapUrl;
    this.listUrl = registry.rdapUrlIsDefault ? registry.bootstrapUrl : undefined;
  }

  /** Ends with a slash. */
  get baseUrl(): string {
    return this.address;
  }

  onApplicationBootstrap(): void {
    void this.refresh();
  }

  onApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** Never throws: a list that cannot be read changes nothing. */
  async refresh(): Promise<void> {
    if (!this.listUrl) return;
    try {
      const found = findAuService(await this.readList(this.listUrl));
      if (found !== this.address)
        this.logger.log(`The RDAP service of .au is now ${found}, before ${this.address}`);
      this.address = found;
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.logger.warn(
        `IANA's list of RDAP services was not read; ${this.address} stays in use: ${String(error)}`,
      );
    }
  }

  private async readList(url: string): Promise<unknown> {
    const response = await exchange(new URL(url), {
      headers: { Accept: 'application/json', 'User-Agent': 'bowerbird' },
      limitMs: TIMEOUT_MS,
      maxBytes: (status) => (status === 200 ? MAX_LIST_BYTES : 0),
      signal: this.stopping.signal,
    });
    if (!response.received) throw new Error(`${response.reason} (${response.detail})`);
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    if (response.body === null) throw new Error(`more than ${MAX_LIST_BYTES} bytes`);
    return JSON.parse(textOf(response.body));
  }
}

/**
 * The https address listed for .au, with its final slash, which some entries lack.
 *
 * @throws when the list has none
 */
export function findAuService(list: unknown): string {
  const services = isObject(list) && Array.isArray(list.services) ? list.services : [];
  const addresses = services
    .filter((service): service is unknown[][] => Array.isArray(service) && service.every(Array.isArray))
    .filter(([suffixes]) => suffixes?.some((suffix) => String(suffix).toLowerCase() === 'au'))
    .flatMap(([, urls]) => urls ?? []);
  const address = addresses.find((url): url is string => typeof url === 'string' && isPlainHttps(url));
  if (address === undefined) throw new Error('no https service is listed for au');
  return address.replace(/\/*$/, '/');
}

/** Names are appended to the address, so it must not end in a query or fragment. */
function isPlainHttps(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' && url.search === '' && url.hash === '' && url.username === '';
}
