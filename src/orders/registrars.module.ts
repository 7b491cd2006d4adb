import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { maintenance, WorkKinds } from '../work/kind.js';
import { EppClient } from './registrar/epp/epp-client.js';
import { EppRegistrar } from './registrar/epp/epp-registrar.js';
import { SessionSlots } from './registrar/epp/session-slot.repository.js';
import { ExchangeEvidenceRepository } from './registrar/exchange-evidence.repository.js';
import { type Registrar, REGISTRARS, type Registrars } from './registrar/port.js';

const DAY_MS = 86_400_000;
/** Evidence outlives every dispute of a card and the longest period of registration. */
const KEPT_DAYS = 6 * 365;

/** The sessions of this process, which end with it. */
const CLIENTS = Symbol('the clients of registrars');

/** The registrars that the settings name. */
@Module({
  providers: [
    SessionSlots,
    ExchangeEvidenceRepository,
    {
      provide: CLIENTS,
      inject: [Config, SessionSlots, ExchangeEvidenceRepository],
      useFactory: (
        { registrars: { epp } }: Config,
        slots: SessionSlots,
        evidence: ExchangeEvidenceRepository,
      ) => (epp ? [new EppClient(epp, slots, evidence)] : []),
    },
    {
      provide: REGISTRARS,
      inject: [Config, CLIENTS],
      useFactory: ({ registrars: { epp } }: Config, [client]: readonly EppClient[]): Registrars =>
        registrarsOf(epp && client ? [new EppRegistrar({ ...epp, name: epp.registrar }, client)] : []),
    },
  ],
  exports: [REGISTRARS, ExchangeEvidenceRepository],
})
export class OrdersRegistrarModule implements OnApplicationShutdown {
  constructor(
    @Inject(CLIENTS) private readonly clients: readonly EppClient[],
    evidence: ExchangeEvidenceRepository,
    kinds: WorkKinds,
  ) {
    kinds.add(
      maintenance('registrar-exchange-purge', DAY_MS, (now) =>
        evidence.deleteBefore(new Date(now.getTime() - KEPT_DAYS * DAY_MS)),
      ),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
  }
}

/** @param all in the order of preference */
export function registrarsOf(all: readonly Registrar[]): Registrars {
  return {
    all,
    named: (name) => all.find((one) => one.name === name),
    choose: (suffix, years) =>
      all.find((one) => {
        const { suffixes, years: periods } = one.capabilities();
        return suffixes.includes(suffix) && periods.includes(years);
      }),
  };
}
