import { X509Certificate } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { type Reading, ReadingSource, secondsBetween } from '../../observe/readings.js';
import { OrderingStops } from '../ledger/ordering-stops.repository.js';
import { STOPS } from '../ledger/stop-reasons.js';
import type { YearTable } from './port.js';
import { FINDING_KINDS, RegistrarStateRepository } from './registrar-state.repository.js';

export const DREAMSCAPE = 'Dreamscape';

/** What operators see of one registrar. */
export interface RegistrarHealth {
  readonly name: string;
  readonly reconcilesBy: 'list' | 'asking' | 'nothing';
  /** What it cannot do, in words; null: it can do all. */
  readonly cannot: string | null;
  /** At the registry, over all instances; null where it has none. */
  readonly sessions: number | null;
  readonly sessionsCap: number | null;
  readonly lastGoodAt: Date | null;
  readonly exchanges: number;
  readonly failed: number;
  readonly limited: number;
  readonly medianMs: number | null;
  readonly yearCents: YearTable;
  readonly balanceCents: number | null;
  readonly balanceAt: Date | null;
  readonly openAttempts: number;
  readonly messagesRead: number;
  readonly polledAt: Date | null;
  readonly certificateExpiresAt: Date | null;
  readonly reconciledAt: Date | null;
  readonly isReconciled: boolean;
  readonly reconciledNames: number;
}

/** A registrar of the settings. */
interface Known {
  readonly name: string;
  readonly reconcilesBy: RegistrarHealth['reconcilesBy'];
  readonly cannot: string | null;
  readonly sessionsCap: number | null;
  readonly certificate: string | null;
  readonly yearCents: YearTable;
}

const EPP_CANNOT =
  'EPP tells neither balance nor prices, and has no list of names: a share of the names of orders is asked about ' +
  'each hour, and names that no order here has are found in the reports of the registry alone.';

function registrarsOf({ registrars: { epp, dreamscape } }: Config): Known[] {
  return [
    ...(epp
      ? [
          {
            ...{ name: epp.registrar, reconcilesBy: 'asking' as const, cannot: EPP_CANNOT },
            ...{ sessionsCap: epp.sessions, certificate: epp.certificate, yearCents: epp.yearCents },
          },
        ]
      : []),
    ...(dreamscape
      ? [
          {
            ...{ name: DREAMSCAPE, reconcilesBy: 'list' as const, cannot: null, sessionsCap: null },
            ...{ certificate: null, yearCents: dreamscape.yearCents },
          },
        ]
      : []),
  ];
}

/** How the registrars are doing, from what the processes have written down. */
@Injectable()
export class RegistrarHealthReader {
  constructor(
    private readonly config: Config,
    private readonly state: RegistrarStateRepository,
  ) {}

  async read(now: Date): Promise<RegistrarHealth[]> {
    const states = await this.state.list();
    const statistics = await this.state.readExchanges(now);
    const attempts = await this.state.countOpenAttempts();
    const sessions = await this.state.countSessions();
    const known = registrarsOf(this.config);
    // Of a registrar that was removed from the settings, or is of a test.
    const others = states
      .filter(({ registrar }) => !known.some(({ name }) => name === registrar))
      .map(({ registrar: name }) => ({
        ...{ name, reconcilesBy: 'nothing' as const, cannot: 'The settings do not have it.' },
        ...{ sessionsCap: null, certificate: null, yearCents: {} },
      }));
    return [...known, ...others].map(({ certificate, ...one }) => {
      const state = states.find(({ registrar }) => registrar === one.name);
      const seen = statistics.find(({ registrar }) => registrar === one.name);
      return {
        ...one,
        sessions: one.sessionsCap === null ? null : sessions,
        lastGoodAt: seen?.lastGoodAt ?? null,
        ...{ exchanges: seen?.exchanges ?? 0, failed: seen?.failed ?? 0, limited: seen?.limited ?? 0 },
        medianMs: seen?.medianMs ?? null,
        ...{ balanceCents: state?.balanceCents ?? null, balanceAt: state?.balanceAt ?? null },
        openAttempts: attempts.find(({ registrar }) => registrar === one.name)?.attempts ?? 0,
        ...{ messagesRead: state?.messagesRead ?? 0, polledAt: state?.polledAt ?? null },
        certificateExpiresAt: certificate === null ? null : endOf(certificate),
        ...{ reconciledAt: state?.reconciledAt ?? null, isReconciled: state?.isReconciled ?? false },
        reconciledNames: state?.reconciledNames ?? 0,
      };
    });
  }

  /** Registrars of the settings whose names were not all compared since this database was restored. */
  async listUnreconciled(): Promise<string[]> {
    const states = await this.state.list();
    return registrarsOf(this.config)
      .filter(({ name }) => !states.some((one) => one.registrar === name && one.isReconciled))
      .map(({ name }) => name);
  }
}

/** @returns null for a certificate that cannot be read */
function endOf(certificate: string): Date | null {
  try {
    return new Date(new X509Certificate(certificate).validTo);
  } catch {
    return null;
  }
}

const GAUGES = {
  ordering_stopped: { help: '1 while a stop of ordering holds for this reason.', label: 'reason' },
  registrar_balance_cents: { help: 'Our account at the registrar, in cents.', label: 'registrar' },
  registrar_findings: { help: 'Differences between a registrar and the orders.', label: 'kind' },
  registrar_reconciled_age_seconds: {
    help: 'Age of the last whole comparison with the registrar.',
    label: 'registrar',
  },
  registrar_failed_share: { help: 'Exchanges of the last hour that failed.', label: 'registrar' },
  registrar_limited: {
    help: 'Exchanges of the last hour that the registrar refused as too many.',
    label: 'registrar',
  },
  registrar_sessions: { help: 'Sessions at the registry, over all instances.', label: 'registrar' },
  registrar_certificate_seconds: { help: 'Time until our certificate ends.', label: 'registrar' },
  registrar_open_attempts: { help: 'Attempts whose outcome is open.', label: 'registrar' },
};
type Gauge = keyof typeof GAUGES;

@Injectable()
export class RegistrarReadings extends ReadingSource<Gauge> {
  readonly group = 'registrars';
  readonly gauges = GAUGES;

  constructor(
    private readonly clock: Clock,
    private readonly health: RegistrarHealthReader,
    private readonly state: RegistrarStateRepository,
    private readonly stops: OrderingStops,
  ) {
    super();
  }

  async read(): Promise<Reading<Gauge>[]> {
    const now = await this.clock.now();
    const stops = (await this.stops.list()).map(({ reason }) => reason);
    const counts = await this.state.countFindings();
    const registrars = await this.health.read(now);
    return [
      ...STOPS.map((reason) => ({
        ...{ gauge: 'ordering_stopped' as const, label: reason, value: stops.includes(reason) ? 1 : 0 },
      })),
      ...FINDING_KINDS.map((kind) => ({
        ...{ gauge: 'registrar_findings' as const, label: kind },
        value: counts.find((one) => one.kind === kind)?.count ?? 0,
      })),
      ...registrars.flatMap((one) => readingsOf(one, now)),
    ];
  }
}

function readingsOf(one: RegistrarHealth, now: Date): Reading<Gauge>[] {
  const label = one.name;
  const { certificateExpiresAt: end, reconciledAt } = one;
  return [
    { gauge: 'registrar_balance_cents', label, value: one.balanceCents },
    {
      ...{ gauge: 'registrar_reconciled_age_seconds', label },
      value: reconciledAt && secondsBetween(reconciledAt, now),
    },
    {
      ...{ gauge: 'registrar_failed_share', label },
      value: one.exchanges > 0 ? one.failed / one.exchanges : null,
    },
    { gauge: 'registrar_limited', label, value: one.limited },
    { gauge: 'registrar_sessions', label, value: one.sessions },
    { gauge: 'registrar_certificate_seconds', label, value: end && secondsBetween(now, end) },
    { gauge: 'registrar_open_attempts', label, value: one.openAttempts },
  ];
}
