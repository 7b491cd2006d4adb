import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { maintenance, WorkKinds } from '../work/kind.js';
import { DreamscapeRegistrar } from './registrar/dreamscape/dreamscape-registrar.js';
import { ResellerClient } from './registrar/dreamscape/reseller-client.js';
import { EppClient } from './registrar/epp/epp-client.js';
import { EppRegistrar } from './registrar/epp/epp-registrar.js';
import { SessionSlots } from './registrar/epp/session-slot.repository.js';
import { ExchangeEvidenceRepository } from './registrar/exchange-evidence.repository.js';
import { type Registrar, REGISTRARS, type Registrars } from './registrar/port.js';
import { DREAMSCAPE } from './registrar/registrar-health.js';

const DAY_MS = 86_400_000;
/** Evidence outlives every dispute of a card and the longest period of registration. */
const KEPT_DAYS = 6 * 365;

/** The connections of this process, which end with it. */
const CLIENTS = Symbol('the clients of registrars');
interface Clients {
  readonly epp: EppClient | undefined;
  readonly dreamscape: ResellerClient | undefined;
}

/** The registrars that the settings name. */
@Module({
  providers: [
    SessionSlots,
    ExchangeEvidenceRepository,
    {
      provide: CLIENTS,
      inject: [Config, SessionSlots, ExchangeEvidenceRepository],
      useFactory: (
        { registrars: { epp, dreamscape } }: Config,
        slots: SessionSlots,
        evidence: ExchangeEvidenceRepository,
      ): Clients => ({
        epp: epp && new EppClient(epp, slots, evidence),
        dreamscape: dreamscape && new ResellerClient({ ...dreamscape, registrar: DREAMSCAPE }, evidence),
      }),
    },
    {
      provide: REGISTRARS,
      inject: [Config, CLIENTS],
      useFactory: ({ registrars: { epp, dreamscape } }: Config, clients: Clients): Registrars =>
        registrarsOf([
          ...(epp && clients.epp ? [new EppRegistrar({ ...epp, name: epp.registrar }, clients.epp)] : []),
          ...(dreamscape && clients.dreamscape
            ? [new DreamscapeRegistrar({ ...dreamscape, name: DREAMSCAPE }, clients.dreamscape)]
            : []),
        ]),
    },
  ],
  exports: [REGISTRARS, ExchangeEvidenceRepository],
})
export class OrdersRegistrarModule implements OnApplicationShutdown {
  constructor(
    @Inject(CLIENTS) private readonly clients: Clients,
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
    await Promise.all([this.clients.epp?.close(), this.clients.dreamscape?.close()]);
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
