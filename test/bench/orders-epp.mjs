/**
 * Forked by orders.mjs: the service's own end of EPP and TLS, alone. Registers names, and tells the CPU ms of one: frames
 * made and read, TLS, redacted evidence that is written nowhere.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { EppClient } from '../../dist/src/orders/registrar/epp/epp-client.js';
import { EppRegistrar } from '../../dist/src/orders/registrar/epp/epp-registrar.js';
import { newAttempt } from '../../dist/src/orders/registrar/port.js';

const TIMEOUT_MS = 10_000;
const [warmUp, count] = process.argv.slice(2).map(Number);
const [address] = await once(process, 'message');
const slots = { take: async () => ({ isHeld: true, release: async () => undefined }) };
const account = { ...address, registrar: 'Bench', sessions: 1, timeoutMs: TIMEOUT_MS };
const client = new EppClient(account, slots, { record: async () => undefined });
const terms = {
  name: 'Bench',
  client: address.client,
  yearCents: { 'com.au': { registration: 2_180, renewal: 2_180 } },
  cancelWindowHours: 0,
};
const registrar = new EppRegistrar(terms, client);
const contact = {
  ...{ name: 'Mia Example', email: 'mia@example.com', phone: '+61.299990000', street: ['12 Elizabeth St'] },
  ...{ city: 'Hobart', state: 'TAS', postcode: '7000' },
};
const registrant = {
  ...{ legalName: 'Example Pty Ltd', idType: 'ACN', id: '004085616', eligibilityType: 'Company', contact },
};
let from = 0;
for (let place = -warmUp; place < count; place += 1) {
  if (place === 0) from = cpuMs();
  const ids = {
    id: randomUUID(),
    order: randomUUID(),
    registrar: 'Bench',
    name: `epp-${warmUp + place}.com.au`,
  };
  const wish = { ...ids, years: 1, registrant, policyReason: 1, nameServers: [] };
  const outcome = await registrar.register(newAttempt(wish, new Date()));
  if (outcome.is !== 'done') throw new Error(`a registration was answered with ${JSON.stringify(outcome)}`);
}
process.send((cpuMs() - from) / count);
await client.close();
process.disconnect();

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
