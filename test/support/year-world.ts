import { createHash } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import type { ListKind } from '../../src/config/config.js';
import { domainBody, errorBody } from '../../src/demo/sandbox-bodies.js';
import { LIST_HEADER } from '../../src/demo/sandbox-lists.js';

export const FIRST_DAY = Date.UTC(2026, 0, 1);
export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** A name is listed again so many days after it was first. */
const LISTED_AGAIN_DAYS = 9;

/** A row of a list, and what becomes of the name. */
export interface Listing {
  readonly domain: string;
  readonly kind: ListKind;
  readonly day: number;
  readonly time: string;
  readonly purgeAt: number;
}

/** What a made-up registry said, and when. */
export interface Answer {
  readonly domain: string;
  readonly at: number;
  readonly said: 'free' | 'held' | 'pending';
}

/**
 * A year of lists and of what really happens to the names on them. Everything is a function of the name and the time, so that
 * nothing of it can be lost with a process.
 */
export class YearWorld {
  private readonly byName = new Map<string, Listing[]>();
  readonly listings: Listing[] = [];

  constructor(
    readonly days: number,
    namesADay: number,
  ) {
    for (let day = 0; day < days; day += 1)
      for (let place = 0; place < namesADay; place += 1) this.add(day, place);
  }

  /** The list of the day that it is; that of the last day stays. */
  listText(kind: ListKind, now: number): string {
    const day = Math.min(this.days - 1, Math.floor((now - FIRST_DAY) / DAY_MS));
    const rows = this.listings.filter((listing) => listing.day === day && listing.kind === kind);
    const date = new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
    return `${LIST_HEADER}\n${rows.map(({ time, domain }) => `${date},${time},${domain}\n`).join('')}`;
  }

  listingsOf(domain: string): readonly Listing[] {
    return this.byName.get(domain) ?? [];
  }

  /** The truth. Of 100 drops 8 are renewed in time, 6 are purged two days late, 30 are taken within days, the rest stays free. */
  truth(domain: string, at: number): Answer['said'] {
    const last = this.listingsOf(domain)
      .filter((listing) => listedAt(listing) <= at)
      .at(-1);
    if (!last) return 'held';
    const fate = chance(`${domain} ${last.day}`);
    if (fate < 0.08) return 'held';
    const freeAt = last.purgeAt + (fate < 0.14 ? 2 * DAY_MS : 0);
    if (at < freeAt) return 'pending';
    if (fate >= 0.7)
      return at < freeAt + chance(`${domain} taken ${last.day}`) * 8 * DAY_MS ? 'free' : 'held';
    return 'free';
  }

  private add(day: number, place: number): void {
    const kind = place % 5 === 0 ? 'deleted' : 'expired';
    // Two names a day are those of an earlier list again.
    const isAgain = place < 2 && day >= LISTED_AGAIN_DAYS;
    const domain = isAgain ? nameOf(day - LISTED_AGAIN_DAYS, place + 2) : nameOf(day, place);
    const time = new Date(chance(`${domain} time ${day}`) * DAY_MS).toISOString().slice(11, 19);
    const run = FIRST_DAY + day * DAY_MS + (kind === 'deleted' ? 3 : 3.5) * HOUR_MS;
    const listing = { domain, kind, day, time, purgeAt: time < '03:00:00' ? run : run + DAY_MS } as const;
    this.listings.push(listing);
    this.byName.set(domain, [...this.listingsOf(domain), listing]);
  }
}

/** A name keeps its kind when it is listed again. */
function nameOf(day: number, place: number): string {
  return `y${day}-${place}-drop.${place % 3 === 0 ? 'net.au' : 'com.au'}`;
}

const listedAt = ({ day }: Listing): number => FIRST_DAY + day * DAY_MS;

/** A number from 0 to 1 that belongs to the text. */
export function chance(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}

/** The world over HTTP: both lists and the registry, at the time of the handed clock of the database. */
export interface YearServer {
  readonly url: string;
  readonly answers: Answer[];
  /** Called at every request, before it is answered. */
  onRequest: () => void;
  close(): Promise<void>;
}

export async function startYearServer(world: YearWorld, databaseUrl: string): Promise<YearServer> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const now = async () => {
    const { rows } = await client.query<{ now: Date }>('SELECT now FROM handed_clock');
    return rows[0]?.now.getTime() ?? 0;
  };
  const answers: Answer[] = [];
  const server = createServer((request, response) => {
    served.onRequest();
    now()
      .then((at) => answer(world, request.url ?? '', at, response, answers))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const served: YearServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    onRequest: () => undefined,
    close: async () => {
      await closed(server);
      await client.end();
    },
  };
  return served;
}

function answer(
  world: YearWorld,
  url: string,
  at: number,
  response: ServerResponse,
  answers: Answer[],
): void {
  // Its time is not that of the machine.
  response.sendDate = false;
  const list = /^\/(deleted|expired)$/.exec(url)?.[1];
  if (list === 'deleted' || list === 'expired')
    return void response.writeHead(200, { 'Content-Type': 'text/csv' }).end(world.listText(list, at));
  const domain = decodeURIComponent(/^\/rdap\/domain\/(.+)$/.exec(url)?.[1] ?? '');
  const said = world.truth(domain, at);
  answers.push({ domain, at, said });
  const body =
    said === 'free'
      ? errorBody(404, 'Not Found', 'Object not found')
      : domainBody(domain, url, said === 'held' ? ['active'] : ['pending delete']);
  response
    .writeHead(said === 'free' ? 404 : 200, { 'Content-Type': 'application/rdap+json' })
    .end(JSON.stringify(body));
}

const closed = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
