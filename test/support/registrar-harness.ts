import { randomUUID } from 'node:crypto';
import { startSandboxRegistrar } from '../../src/demo/sandbox-registrar.js';
import { startSandboxReseller } from '../../src/demo/sandbox-reseller.js';
import { DreamscapeRegistrar } from '../../src/orders/registrar/dreamscape/dreamscape-registrar.js';
import { ResellerClient } from '../../src/orders/registrar/dreamscape/reseller-client.js';
import { EppClient } from '../../src/orders/registrar/epp/epp-client.js';
import { EppRegistrar } from '../../src/orders/registrar/epp/epp-registrar.js';
import { SessionSlots } from '../../src/orders/registrar/epp/session-slot.repository.js';
import type { ExchangeEvidenceRepository } from '../../src/orders/registrar/exchange-evidence.repository.js';
import {
  type Attempt,
  newAttempt,
  type Registrant,
  type Registrar,
} from '../../src/orders/registrar/port.js';
import type { TestDatabase } from './database.js';

export const REGISTRANT_OF_ATTEMPTS: Registrant = {
  legalName: 'Smith & Sons <Pty> Ltd',
  idType: 'ACN',
  id: '004085616',
  eligibilityType: 'Company',
  contact: {
    ...{ name: 'Ann Smith', email: 'ann@example.com', phone: '+61.299990000' },
    ...{ street: ['Level 1', '1 George St'], city: 'Sydney', postcode: '2000' },
    state: 'NSW',
  },
};

export function attemptOn(name: string, order: string = randomUUID(), startedAt = new Date()): Attempt {
  const wish = { id: randomUUID(), order, registrar: 'sandbox', name, years: 1 } as const;
  return newAttempt({ ...wish, registrant: REGISTRANT_OF_ATTEMPTS, policyReason: 1 }, startedAt);
}

/** A kind of registrar at its sandbox: what tests of any registrar need to know and to spoil. */
export interface RegistrarHarness {
  readonly registrar: Registrar;
  /** How often names were registered. */
  readonly created: readonly string[];
  /** The legal name that holds it, and until when. */
  holder(name: string): { readonly legalName: unknown; readonly expiresAt: Date } | undefined;
  /** Of the next registration. */
  spoil(fault: SharedFault, command?: 'create' | 'renew' | 'delete'): void;
  registerForeign(name: string): void;
  decide(name: string, outcome: 'done' | 'refused'): void;
  sendLate(): void;
  /** Milliseconds of the exchanges after it. */
  setTimeout(ms: number): void;
  /** The same registrar with wrong credentials. */
  impostor(): Registrar;
  /** What may stand nowhere. */
  readonly secrets: readonly string[];
  readonly close: () => Promise<void>;
}

export const SHARED_FAULTS = ['cut_before', 'cut_after', 'late', 'pending', 'funds', 'policy'] as const;
export type SharedFault = (typeof SHARED_FAULTS)[number];

const LONG_MS = 60_000;
const TERMS = {
  name: 'sandbox',
  cancelWindowHours: 24,
  yearCents: Object.fromEntries(
    ['com.au', 'org.au'].map((suffix) => [suffix, { registration: 1650, renewal: 1650 }]),
  ),
};

/** Of a client of another registrar. */
export const TAKEN = 'somebodys.com.au';
const isTaken = (name: string) => name === TAKEN;

export async function startEpp(
  test: TestDatabase,
  evidence: ExchangeEvidenceRepository,
): Promise<RegistrarHarness> {
  const sandbox = await startSandboxRegistrar({ port: 0, isTaken });
  const clients: EppClient[] = [];
  const open = (changes: object = {}) => {
    const account = { ...sandbox, registrar: 'sandbox', sessions: 2, timeoutMs: LONG_MS, ...changes };
    const client = new EppClient(account, new SessionSlots(test.database), evidence);
    clients.push(client);
    return { account, registrar: new EppRegistrar({ ...TERMS, client: sandbox.client }, client) };
  };
  const { account, registrar } = open();
  const faults = { funds: 2104, policy: 2306 } as const;
  return {
    registrar,
    created: sandbox.created,
    holder: (name) => {
      const known = sandbox.names.get(name);
      return known && { legalName: known.registrantName, expiresAt: known.expiresAt };
    },
    spoil: (fault, command = 'create') =>
      sandbox.fail(command, fault === 'funds' || fault === 'policy' ? faults[fault] : fault),
    registerForeign: (name) => sandbox.registerForeign(name),
    decide: sandbox.decide,
    sendLate: sandbox.sendLate,
    setTimeout: (timeoutMs) => void Object.assign(account, { timeoutMs }),
    impostor: () => open({ password: 'wrong-password' }).registrar,
    secrets: [sandbox.password],
    close: async () => {
      for (const client of clients) await client.close();
      await sandbox.close();
    },
  };
}

export async function startReseller(
  _test: TestDatabase,
  evidence: ExchangeEvidenceRepository,
): Promise<RegistrarHarness & { readonly sandbox: Awaited<ReturnType<typeof startSandboxReseller>> }> {
  const sandbox = await startSandboxReseller({ port: 0, isTaken });
  sandbox.prices.set('com.au', { register: 16.5, renew: 16.5 });
  const account = { registrar: 'sandbox', url: sandbox.url, key: sandbox.key, timeoutMs: LONG_MS };
  const open = (changes: object = {}) => {
    const whole = Object.assign(changes === account ? account : { ...account }, changes);
    return new DreamscapeRegistrar({ ...TERMS, pricesHaveGst: true }, new ResellerClient(whole, evidence));
  };
  const faults = { funds: 402, policy: 400 } as const;
  return {
    sandbox,
    registrar: open(account),
    created: sandbox.created,
    holder: (name) => {
      const known = sandbox.names.get(name);
      return (
        known && {
          legalName: sandbox.registrants.get(known.registrant)?.business_name,
          expiresAt: known.expiresAt,
        }
      );
    },
    spoil: (fault, command = 'create') =>
      sandbox.fail(command, fault === 'funds' || fault === 'policy' ? faults[fault] : fault),
    registerForeign: sandbox.registerForeign,
    decide: sandbox.decide,
    sendLate: sandbox.sendLate,
    setTimeout: (timeoutMs) => void Object.assign(account, { timeoutMs }),
    impostor: () => open({ key: '0'.repeat(32) }),
    secrets: [sandbox.key, 'sandbox-auth-key'],
    close: () => sandbox.close(),
  };
}
