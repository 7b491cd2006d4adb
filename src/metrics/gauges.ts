/** Gauges that are read when somebody asks: name without `bowerbird_`, what it says, and its labels, each of few values. */
export const GAUGES = {
  names_on_offer: { help: 'Names on offer: confirmed, and not withheld.', labels: [] },
  names_stale: {
    help: 'Names not offered because nobody has asked about them for too long.',
    labels: [],
  },
  false_offers_share: {
    help: 'Share of the offers drawn by lot within 30 days that the registry said are taken.',
    labels: [],
  },
  sampled_offers: { help: 'Offers drawn by lot within 30 days.', labels: [] },
  writes_stopped: {
    help: '1 while no answer of the registry is written; see `bowerbird writes`.',
    labels: [],
  },
  queue_waiting: { help: 'Names that wait for something.', labels: ['queue'] },
  queue_oldest_seconds: { help: 'How long the first of them has waited.', labels: ['queue'] },
  confirmation_seconds: {
    help: 'From a purge to the answer that says what became of the name, over 7 days.',
    labels: ['quantile'],
  },
  list_age_seconds: { help: 'Since the last import of that part of the drop list.', labels: ['kind'] },
  registry_breaker_open: { help: '1 while the circuit breaker is open.', labels: ['source'] },
  registry_paused: { help: '1 while the registry is left alone because it said so.', labels: ['source'] },
  registry_canary_ok: {
    help: '1 when names that are surely registered were found, 0 when they were not.',
    labels: ['source'],
  },
  registry_line_waiting: { help: 'Callers in the line for a turn at the registry.', labels: [] },
  service_level: { help: 'Share of 30 days that met the objective.', labels: ['indicator'] },
  service_level_budget_left: {
    help: 'Share of the error budget of 30 days that is left; below 0: overspent.',
    labels: ['indicator'],
  },
  job_failures: { help: 'Failures of the job since its last success.', labels: ['job'] },
  job_last_success_seconds: { help: 'Since the last success of the job.', labels: ['job'] },
  job_overdue_seconds: { help: 'For how long the job has been due; 0: it is not.', labels: ['job'] },
  export_age_seconds: { help: 'Since the last export of the kind was made.', labels: ['kind'] },
  webhook_events_waiting: { help: 'Events that no webhook has been given yet.', labels: [] },
  webhook_deliveries_pending: { help: 'Deliveries to be made or to be tried again.', labels: [] },
  webhook_oldest_seconds: { help: 'How long the oldest event or delivery has waited.', labels: [] },
  webhook_deliveries_today: { help: 'Deliveries within a day, by what came of them.', labels: ['outcome'] },
  database_connections_lent: { help: 'Connections that this process uses now.', labels: ['pool'] },
  database_connections_wanted: {
    help: 'Work of this process that waits for a connection.',
    labels: ['pool'],
  },
} as const satisfies Record<string, { help: string; labels: readonly string[] }>;

export type GaugeName = keyof typeof GAUGES;

/** One value of a gauge. What is not known is left out, and not said to be 0. */
export interface Reading {
  readonly gauge: GaugeName;
  readonly value: number | null;
  readonly label?: string;
}

/** Readings that are taken together, and are missing together. */
export interface ReadingSource {
  readonly name: string;
  read(): Promise<Reading[]>;
}
